#include "syntax/pattern.h"

#include "syntax/foreign_words.h"
#include "syntax/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace fw {

namespace {

constexpr std::int64_t mostRepetitions = 1000, unwrittenRepetitions = 64, mostOutputs = 64;

// Whether a word begins what follows a pattern: a clause, the next declaration.
bool followsPattern(const Parser& parser) {
    static const std::set<std::string, std::less<>> clauses = {
        "match", "where", "let", "emit", "stage", "strategy", "expose", "as"};
    const Token &word = parser.peek(), &next = parser.peek(1);
    if (word.kind != TokenKind::Name)
        return false;
    const bool named = next.kind == TokenKind::Name && !next.firstOnLine;
    if (!clauses.contains(word.text))
        return named && word.firstOnLine && fwGrammar().contains(word.text);
    // `where(c, a, b)` is a call, a clause has a blank in front of its parentheses.
    return (named && !clauses.contains(next.text)) ||
           (next.is("(") && word.firstOnLine && next.span.begin > word.span.end);
}

// Behind a sign that joins patterns.
void expectPart(Parser& parser, std::string_view sign) {
    if (followsPattern(parser))
        parser.failAt(
            parser.peek().span,
            fmt::format("a pattern is expected behind {}, found {}", sign, parser.peek().text),
            fmt::format("leave {} out, or write the pattern that follows it", sign));
}

PatternAttrTree attribute(Parser& parser, const std::string& op) {
    PatternAttrTree attr;
    const Token first = parser.peek();
    if (parser.accept("*")) {
        attr.kind = PatternAttrTree::Kind::All;
        if (parser.peek().kind != TokenKind::Name)
            parser.failAt(parser.spanFrom(first), "all attributes need a name that stands for them",
                          "{*a} captures them; where they do not matter, leave the braces out");
        attr.name = parser.bindName("a name for all attributes", BoundName::Kind::Attributes);
    } else {
        {
            const Parser::InAttribute named(parser, op);
            attr.name = parser.expectName("an attribute", Expect::Attribute);
        }
        const Parser::InAttribute inside(parser, op, attr.name);
        if (parser.accept("=")) {
            const Parser::InAttribute value(parser, op, attr.name);
            const Parser::Expecting expecting(parser, Expect::AttributeValue);
            attr.value = parser.expression();
            parser.bindsNamesIn(BoundName::Kind::Attribute, attr.value);
        } else if (parser.accept("in")) {
            if (const Token set = parser.peek(); parser.accept("{")) {
                attr.kind = PatternAttrTree::Kind::Among;
                attr.among.kind = TreeKind::List;
                attr.among.args = parser.expressions("}");
                attr.among.span = parser.spanFrom(set);
            } else {
                attr.kind = PatternAttrTree::Kind::Range;
                attr.low = parser.unary();
                parser.expect("..");
                attr.high = parser.unary();
            }
        } else {
            attr.kind = PatternAttrTree::Kind::Capture;
            parser.binds(BoundName::Kind::Attribute, attr.name, first.span);
        }
    }
    attr.span = parser.spanFrom(first);
    attr.text = parser.source(attr.span);
    return attr;
}

// Behind "const": what it is equal to, if that is written.
PatternConstraint constantConstraint(Parser& parser) {
    PatternConstraint out;
    parser.offer({"true", "false"});
    if (parser.atNumber()) {
        out.kind = PatternConstraint::Kind::Equal;
        out.value = parser.unary();
    }
    return out;
}

// "f32[N, 64, ...]"
PatternConstraint type(Parser& parser) {
    PatternConstraint out;
    const Token first = parser.peek();
    out.kind = PatternConstraint::Kind::Type;
    parser.offer({"any"});
    out.name = parser.expectName("const, input, same(...) or a type such as f32[N, 4]",
                                 Expect::ElementType);
    parser.standsForType(out.name);
    parser.binds(BoundName::Kind::Extent, out.name, first.span);
    if (parser.accept("[")) {
        const Parser::Expecting expecting(parser, Expect::Extent);
        out.hasShape = true;
        while (!parser.failed() && !parser.at("]")) {
            if (const Token dots = parser.peek(); parser.accept("...")) {
                Tree rest;
                rest.kind = TreeKind::Pack;
                rest.span = parser.spanFrom(dots);
                out.dims.push_back(std::move(rest));
            } else {
                parser.offer({"any"});
                out.dims.push_back(parser.expression());
                parser.bindsNamesIn(BoundName::Kind::Extent, out.dims.back());
            }
            if (!parser.accept(","))
                break;
        }
        parser.expect("]");
    }
    return out;
}

PatternConstraint constraint(Parser& parser) {
    PatternConstraint out;
    if (parser.accept("const"))
        return constantConstraint(parser);
    if (parser.accept("input")) {
        out.kind = PatternConstraint::Kind::Input;
        return out;
    }
    if (!parser.at("same") || !parser.peek(1).is("("))
        return type(parser);
    out.kind = PatternConstraint::Kind::Same;
    parser.take();
    parser.expect("(");
    out.name = parser.accept("^") ? "^" : parser.expectName("a value, or ^", Expect::Capture);
    parser.expect(")");
    return out;
}

std::vector<PatternConstraint> constraints(Parser& parser) {
    std::vector<PatternConstraint> out;
    do {
        const Token first = parser.peek();
        out.push_back(constraint(parser));
        out.back().span = parser.spanFrom(first);
        out.back().text = parser.source(out.back().span);
    } while (!parser.failed() && parser.accept("&"));
    return out;
}

PatternTree primitive(Parser& parser);

// Among the operands of a call: "...", "...xs".
PatternTree rest(Parser& parser) {
    PatternTree tree;
    tree.kind = PatternKind::Rest;
    const Token first = parser.take();
    if (!parser.at(",") && !parser.at(")"))
        tree.args.push_back(primitive(parser));
    tree.span = parser.spanFrom(first);
    return tree;
}

// Behind "(", up to and with ")".
std::vector<PatternTree> operands(Parser& parser) {
    std::vector<PatternTree> out;
    while (!parser.failed() && !parser.at(")")) {
        out.push_back(parser.at("...") ? rest(parser) : parsePattern(parser));
        if (!parser.accept(","))
            break;
    }
    parser.expect(")");
    return out;
}

std::vector<PatternAttrTree> attributes(Parser& parser, const std::string& op) {
    std::vector<PatternAttrTree> out;
    if (!parser.accept("{"))
        return out;
    while (!parser.failed() && !parser.at("}")) {
        out.push_back(attribute(parser, op));
        if (!parser.accept(","))
            break;
    }
    parser.expect("}");
    return out;
}

// "(_, c)": names of results up to this one.
std::string resultsText(std::int64_t which) {
    std::string out = "(";
    for (std::int64_t i = 0; i < which; ++i)
        out += "_, ";
    return out + "c)";
}

PatternTree inside(PatternKind kind, PatternTree part) {
    PatternTree out;
    out.kind = kind;
    out.span = part.span;
    out.args.push_back(std::move(part));
    return out;
}

// The value is the first result that has a name.
PatternTree withResults(const std::vector<std::string>& names, PatternTree call) {
    PatternTree out = std::move(call);
    bool isFirst = true;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k] == "_")
            continue;
        if (isFirst && k > 0) {
            out = inside(PatternKind::Output, std::move(out));
            out.low = static_cast<std::int64_t>(k);
        }
        out = inside(PatternKind::Bind, std::move(out));
        out.name = names[k];
        out.result = std::exchange(isFirst, false) ? -1 : static_cast<int>(k);
    }
    return out;
}

// "(a, b) = p"
PatternTree results(Parser& parser) {
    const Token first = parser.peek();
    const std::vector<std::string> names =
        parseResults(parser, Expect::Nothing, BoundName::Kind::Value);
    parser.expect("=");
    PatternTree out = withResults(names, primitive(parser));
    out.span = parser.spanFrom(first);
    return out;
}

// "out" "(" (INT | "any") "," p ")"
void output(Parser& parser, PatternTree& tree) {
    tree.kind = PatternKind::Output;
    const Token which = parser.peek();
    tree.low = parser.accept("any") ? -1 : parser.expectInt("which result, or any");
    if (tree.low > mostOutputs)
        parser.failAt(which.span, "an operator has fewer results than that",
                      "results count from 0");
    parser.expect(",");
    tree.args.push_back(parsePattern(parser));
    parser.expect(")");
    if (tree.low >= 0)
        parser.remark(which.span, "out(N, p) is the older spelling of one result of several",
                      tree.low == 0 ? "(a, _) = p names the first"
                                    : fmt::format("{} = p names it, and c is read where it is "
                                                  "needed",
                                                  resultsText(tree.low)));
}

void dominated(Parser& parser, PatternTree& tree) {
    tree.kind = PatternKind::Dominated;
    for (const char* close : {",", ",", ")"}) {
        tree.args.push_back(parsePattern(parser));
        parser.expect(close);
    }
}

// not (p | q), not (p >> q); of anything else in parentheses it is the operator.
void notOrCalled(Parser& parser, PatternTree& tree) {
    tree.args = operands(parser);
    const PatternKind inside = tree.args.size() == 1 ? tree.args[0].kind : PatternKind::Any;
    if (inside == PatternKind::Alternatives || inside == PatternKind::Sequence) {
        tree.kind = PatternKind::Not;
        return;
    }
    tree.kind = PatternKind::Call;
    tree.name = "not";
    tree.attrs = attributes(parser, tree.name);
}

// A word that means something of its own in front of what follows it.
bool special(Parser& parser, PatternTree& tree) {
    const bool call = parser.peek(1).is("("), word = parser.isNameBehind();
    if (parser.at("out") && call) {
        parser.take();
        parser.take();
        output(parser, tree);
    } else if (parser.at("dominated") && call) {
        parser.take();
        parser.take();
        dominated(parser, tree);
    } else if (parser.at("not") && call) {
        parser.take();
        parser.take();
        notOrCalled(parser, tree);
    } else if (parser.at("not") && word) {
        parser.take();
        tree.kind = PatternKind::Not;
        tree.args.push_back(primitive(parser));
    } else if (parser.at("assoc") && word) {
        parser.take();
        tree.kind = PatternKind::Associative;
        tree.name = parser.expectName("an operator", Expect::Operator);
        parser.expect("(");
        tree.args = operands(parser);
    } else {
        return false;
    }
    return true;
}

void named(Parser& parser, PatternTree& tree) {
    const Token first = parser.peek();
    if (first.kind == TokenKind::Name &&
        (isBoolean(first.text) || !booleanMeant(first.text).empty()))
        parser.failAt(first.span, first.text + " is a number, not the name of a value",
                      "a constant of one value is written const " +
                          std::string(isBoolean(first.text) ? std::string_view(first.text)
                                                            : booleanMeant(first.text)));
    parser.offer({"any", "const", "kind"});
    tree.name = parser.expectName("an operator, a capture, any, const or ^", Expect::Pattern);
    if (tree.name == "kind" && (parser.peek().kind == TokenKind::Name || parser.isAtCaret())) {
        tree.ofKind = true;
        tree.name = parser.expectName("a kind of operators", Expect::Kind);
        if (!parser.at("("))
            parser.fail("expected ( behind the kind");
    }
    if (!tree.ofKind && tree.name == "any") {
        tree.kind = PatternKind::Any;
    } else if (!tree.ofKind && tree.name == "const") {
        tree.kind = PatternKind::Const;
        if (PatternConstraint wanted = constantConstraint(parser);
            wanted.kind == PatternConstraint::Kind::Equal) {
            wanted.span = parser.spanFrom(first);
            wanted.text = parser.source(wanted.span);
            tree.constraints.push_back(std::move(wanted));
        }
    } else if (parser.accept("(")) {
        tree.kind = PatternKind::Call;
        tree.args = operands(parser);
        tree.attrs = attributes(parser, tree.name);
    } else if (parser.accept("=")) {
        tree.kind = PatternKind::Bind;
        parser.binds(BoundName::Kind::Value, tree.name, first.span);
        tree.args.push_back(primitive(parser));
    } else {
        tree.kind = PatternKind::Capture;
        parser.binds(BoundName::Kind::Value, tree.name, first.span);
    }
}

PatternTree primitive(Parser& parser) {
    Parser::Deeper deeper(parser);
    PatternTree tree;
    const Token first = parser.peek();
    if (parser.failed())
        return tree;
    if (parser.accept("^")) {
        tree.kind = PatternKind::Previous;
    } else if (parser.atNumber()) {
        tree.kind = PatternKind::Const;
        tree.constraints.push_back(constantConstraint(parser));
        tree.constraints.back().span = parser.spanFrom(first);
        tree.constraints.back().text = parser.source(tree.constraints.back().span);
    } else if (atResults(parser)) {
        tree = results(parser);
    } else if (parser.accept("(")) {
        tree = parsePattern(parser);
        parser.expect(")");
        if (!parser.at(":"))
            return tree;
    } else if (!special(parser, tree)) {
        named(parser, tree);
    }
    if (parser.accept(":"))
        for (PatternConstraint& one : constraints(parser))
            tree.constraints.push_back(std::move(one));
    tree.span = parser.spanFrom(first);
    return tree;
}

PatternTree step(Parser& parser) {
    const Token first = parser.peek();
    PatternTree inner = primitive(parser);
    const bool optional = parser.accept("?");
    if (!optional && !parser.accept("*"))
        return inner;
    PatternTree tree;
    tree.kind = optional ? PatternKind::Optional : PatternKind::Repeat;
    tree.high = unwrittenRepetitions;
    if (!optional && parser.accept("{")) {
        tree.low = parser.expectInt("the least count");
        parser.expect("..");
        tree.high = parser.expectInt("the greatest count");
        parser.expect("}");
        if (tree.low < 0 || tree.high > mostRepetitions || tree.low > tree.high)
            parser.failAt(parser.spanFrom(first),
                          "a repetition goes from a smaller to a larger count up to 1000");
    }
    tree.args.push_back(std::move(inner));
    tree.span = parser.spanFrom(first);
    return tree;
}

PatternTree sequence(Parser& parser) {
    PatternTree tree;
    const Token first = parser.peek();
    tree.kind = PatternKind::Sequence;
    tree.args.push_back(step(parser));
    while (parser.accept(">>")) {
        expectPart(parser, ">>");
        tree.args.push_back(step(parser));
    }
    tree.span = parser.spanFrom(first);
    const PatternKind only = tree.args.front().kind;
    if (tree.args.size() == 1 && only != PatternKind::Optional && only != PatternKind::Repeat)
        return std::move(tree.args.front());
    return tree;
}

} // namespace

bool PatternTree::demandsConst() const {
    return std::any_of(constraints.begin(), constraints.end(), [](const PatternConstraint& one) {
        return one.kind == PatternConstraint::Kind::Const ||
               one.kind == PatternConstraint::Kind::Equal;
    });
}

PatternTree parsePattern(Parser& parser) {
    Parser::Deeper deeper(parser);
    const Token first = parser.peek();
    PatternTree tree = sequence(parser);
    if (!parser.at("|"))
        return tree;
    PatternTree options;
    options.kind = PatternKind::Alternatives;
    options.args.push_back(std::move(tree));
    while (parser.accept("|")) {
        expectPart(parser, "|");
        options.args.push_back(sequence(parser));
    }
    options.span = parser.spanFrom(first);
    return options;
}

bool atResults(const Parser& parser) {
    if (!parser.peek().is("("))
        return false;
    std::size_t i = 1;
    while (parser.peek(i).kind == TokenKind::Name && parser.peek(i + 1).is(","))
        i += 2;
    return parser.peek(i).kind == TokenKind::Name && parser.peek(i + 1).is(")") &&
           parser.peek(i + 2).is("=");
}

std::vector<std::string> parseResults(Parser& parser, Expect name,
                                      std::optional<BoundName::Kind> binds) {
    const Token first = parser.peek();
    std::vector<std::string> names;
    parser.expect("(");
    do {
        const Span place = parser.peek().span;
        names.push_back(parser.expectNewName("a name for the result", name));
        if (binds && names.back() != "_")
            parser.binds(*binds, names.back(), place);
        if (names.back() != "_" && std::count(names.begin(), names.end(), names.back()) > 1)
            parser.failAt(place, names.back() + " is the name of two results", "_ needs no name");
    } while (!parser.failed() && parser.accept(","));
    parser.expect(")");
    if (names.size() > mostOutputs)
        parser.failAt(first.span, fmt::format("at most {} results have names", mostOutputs));
    if (std::all_of(names.begin(), names.end(), [](const auto& one) { return one == "_"; }))
        parser.failAt(first.span, "none of the results has a name", "(a, _) names the first");
    return names;
}

std::vector<NamedPattern> parseMatched(Parser& parser) {
    std::vector<NamedPattern> out;
    if (!atResults(parser)) {
        NamedPattern named;
        named.name = parser.bindName("a name for the value", BoundName::Kind::Root);
        parser.expect("=");
        named.pattern = parsePattern(parser);
        out.push_back(std::move(named));
        return out;
    }
    const Token first = parser.peek();
    const std::vector<std::string> names =
        parseResults(parser, Expect::Nothing, BoundName::Kind::Root);
    parser.expect("=");
    PatternTree next = parsePattern(parser);
    for (std::size_t k = 0; k < names.size() && !parser.failed(); ++k) {
        if (names[k] == "_")
            continue;
        PatternTree further; // of the operator which the first has
        further.kind = PatternKind::Capture;
        further.value = true;
        further.name = out.empty() ? names[k] : out.front().name;
        further.span = first.span;
        PatternTree one = std::exchange(next, std::move(further));
        if (k > 0) {
            one = inside(PatternKind::Output, std::move(one));
            one.low = static_cast<std::int64_t>(k);
        }
        out.push_back({names[k], std::move(one)});
    }
    return out;
}

std::shared_ptr<DeclarationTree> parsePatternDeclaration(Parser& parser) {
    auto out = std::make_shared<PatternDeclTree>();
    out->name = parser.expectNewName("the name of the pattern");
    parser.expect("(");
    while (!parser.failed() && !parser.at(")")) {
        PatternParam param;
        const Token first = parser.peek();
        param.name = parser.bindName("a capture");
        if (parser.accept(":"))
            param.constraints = constraints(parser);
        param.span = parser.spanFrom(first);
        out->params.push_back(std::move(param));
        if (!parser.accept(","))
            break;
    }
    parser.expect(")");
    out->doc = parser.acceptText();
    std::vector<ConditionTree> conditions = headerConditions(parser, *out);
    parser.expect("=");
    out->pattern = parsePattern(parser);
    out->pattern.where = std::move(conditions);
    return out;
}

std::shared_ptr<DeclarationTree> parseChainDeclaration(Parser& parser) {
    auto out = std::make_shared<PatternDeclTree>();
    out->isChain = true;
    out->name = parser.expectNewName("the name of the chain");
    out->doc = parser.acceptText();
    std::vector<ConditionTree> conditions = headerConditions(parser, *out);
    parser.expect("=");
    out->pattern = parsePattern(parser);
    out->pattern.where = std::move(conditions);
    return out;
}

} // namespace fw
