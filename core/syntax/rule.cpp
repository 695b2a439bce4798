#include "syntax/rule.h"

#include <fmt/format.h>

namespace fw {

namespace {

PatternAttrTree patternAttr(Parser& parser) {
    PatternAttrTree attr;
    const Token first = parser.peek();
    if (parser.accept("*")) {
        attr.kind = PatternAttrTree::Kind::All;
        attr.name = parser.expectName("a name for all attributes");
    } else {
        attr.name = parser.expectName("an attribute");
        if (parser.accept("=")) {
            attr.value = parser.expression();
        } else if (parser.accept("in")) {
            attr.kind = PatternAttrTree::Kind::Range;
            attr.low = parser.expectInt("the least value");
            parser.expect("..");
            attr.high = parser.expectInt("the greatest value");
        } else {
            attr.kind = PatternAttrTree::Kind::Capture;
        }
    }
    attr.span = parser.spanFrom(first);
    return attr;
}

void constraints(Parser& parser, PatternTree& tree) {
    do {
        if (parser.accept("const")) {
            tree.isConst = true;
        } else if (parser.accept("same")) {
            parser.expect("(");
            tree.sameAs = parser.accept("^") ? "^" : parser.expectName("a value, or ^");
            parser.expect(")");
        } else {
            parser.fail("expected const or same(...)");
        }
    } while (!parser.failed() && parser.accept("&"));
}

PatternTree primitive(Parser& parser) {
    Parser::Deeper deeper(parser);
    PatternTree tree;
    const Token first = parser.peek();
    if (parser.failed())
        return tree;
    if (parser.accept("^")) {
        tree.kind = PatternKind::Previous;
    } else if (parser.accept("(")) {
        tree = parsePattern(parser);
        parser.expect(")");
        return tree;
    } else {
        tree.name = parser.expectName("an operator, a capture, any, const or ^");
        if (tree.name == "kind" && parser.peek().kind == TokenKind::Name) {
            tree.ofKind = true;
            tree.name = parser.expectName("a kind of operators");
            if (!parser.at("("))
                parser.fail("expected ( behind the kind");
        }
        if (!tree.ofKind && (tree.name == "any" || tree.name == "const")) {
            tree.kind = tree.name == "any" ? PatternKind::Any : PatternKind::Const;
        } else if (parser.accept("(")) {
            tree.kind = PatternKind::Call;
            while (!parser.failed() && !parser.at(")")) {
                if (parser.accept("...")) {
                    tree.anyArgs = true;
                    break;
                }
                tree.args.push_back(parsePattern(parser));
                if (!parser.accept(","))
                    break;
            }
            parser.expect(")");
            if (parser.accept("{")) {
                while (!parser.failed() && !parser.at("}")) {
                    tree.attrs.push_back(patternAttr(parser));
                    if (!parser.accept(","))
                        break;
                }
                parser.expect("}");
            }
        } else if (parser.accept("=")) {
            tree.kind = PatternKind::Bind;
            tree.args.push_back(primitive(parser));
        } else {
            tree.kind = PatternKind::Capture;
            if (parser.accept(":"))
                constraints(parser, tree);
        }
    }
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
    tree.high = 64;
    if (!optional && parser.accept("{")) {
        tree.low = parser.expectInt("the least count");
        parser.expect("..");
        tree.high = parser.expectInt("the greatest count");
        parser.expect("}");
        if (tree.low < 0 || tree.high > 1000 || tree.low > tree.high)
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
    do
        tree.args.push_back(step(parser));
    while (parser.accept(">>"));
    tree.span = parser.spanFrom(first);
    const PatternKind only = tree.args.front().kind;
    if (tree.args.size() == 1 && only != PatternKind::Optional && only != PatternKind::Repeat)
        return std::move(tree.args.front());
    return tree;
}

NamedTree parseNamedTree(Parser& parser) {
    NamedTree named;
    named.name = parser.expectName("a name");
    parser.expect("=");
    named.value = parser.expression();
    return named;
}

constexpr std::size_t mostResults = 64; // each name holds the call

// "(" NAME "," ... ")" "=" call: value k is the Index tree call[k], which cannot be written itself.
void resultsOfACall(Parser& parser, std::vector<NamedTree>& out) {
    std::vector<std::string> names;
    parser.expect("(");
    do
        names.push_back(parser.expectName("a name"));
    while (parser.accept(","));
    parser.expect(")");
    parser.expect("=");
    const Tree call = parser.expression();
    if (!parser.failed() && call.kind != TreeKind::Call)
        parser.failAt(call.span, "several names need a call of an operator with as many results");
    if (names.size() > mostResults)
        parser.failAt(call.span, fmt::format("at most {} results have names", mostResults));
    if (parser.failed())
        return;
    for (std::size_t k = 0; k < names.size(); ++k) {
        Tree one;
        one.kind = TreeKind::Index;
        one.span = call.span;
        one.integer = static_cast<std::int64_t>(k);
        one.depth = call.depth + 1;
        one.args = {call};
        out.push_back({names[k], std::move(one)});
    }
}

std::vector<NamedTree> emitted(Parser& parser) {
    std::vector<NamedTree> out;
    do
        if (parser.at("("))
            resultsOfACall(parser, out);
        else
            out.push_back(parseNamedTree(parser));
    while (!parser.failed() && parser.accept(","));
    return out;
}

void clause(Parser& parser, RuleTree& rule) {
    if (parser.accept("stage")) {
        rule.stageSpan = parser.peek().span;
        rule.stage = parser.expectName("a stage");
        if (rule.stage == "before") {
            rule.stageSpan = parser.peek().span;
            rule.stage += " " + parser.expectName("partition or fusion");
        }
    } else if (parser.accept("strategy")) {
        rule.strategySpan = parser.peek().span;
        rule.strategy = parser.expectName("once, sweep or fixpoint");
    } else if (parser.accept("duplicate")) {
        rule.duplicate = true;
    } else if (parser.accept("match")) {
        do {
            NamedPattern named;
            named.name = parser.expectName("a name for the value");
            parser.expect("=");
            named.pattern = parsePattern(parser);
            rule.match.push_back(std::move(named));
        } while (parser.accept(","));
    } else if (parser.accept("where")) {
        for (ConditionTree& condition : parser.conditions())
            rule.where.push_back(std::move(condition));
    } else if (parser.accept("let")) {
        for (NamedTree& named : parseNamedTrees(parser))
            rule.let.push_back(std::move(named));
    } else if (parser.accept("emit")) {
        rule.emit = emitted(parser);
    } else {
        parser.fail("expected stage, strategy, match, where, let, emit or duplicate");
    }
}

} // namespace

std::vector<NamedTree> parseNamedTrees(Parser& parser) {
    std::vector<NamedTree> out;
    do
        out.push_back(parseNamedTree(parser));
    while (parser.accept(","));
    return out;
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
    while (parser.accept("|"))
        options.args.push_back(sequence(parser));
    options.span = parser.spanFrom(first);
    return options;
}

std::shared_ptr<DeclarationTree> parseRuleDeclaration(Parser& parser) {
    auto rule = std::make_shared<RuleTree>();
    const Token first = parser.peek();
    rule->name = parser.expectName("the name of the rule");
    rule->doc = parser.acceptText();
    parser.expect("{");
    while (!parser.failed() && !parser.at("}"))
        clause(parser, *rule);
    parser.expect("}");
    if (!parser.failed() && (rule->match.empty() || rule->emit.size() != rule->match.size()))
        parser.failAt(parser.spanFrom(first),
                      "a rule needs match and emit with the same number of values");
    return rule;
}

std::shared_ptr<DeclarationTree> parsePatternDeclaration(Parser& parser) {
    auto out = std::make_shared<PatternDeclTree>();
    out->name = parser.expectName("the name of the pattern");
    parser.expect("(");
    while (!parser.failed() && !parser.at(")")) {
        PatternParam param;
        const Token first = parser.peek();
        param.name = parser.expectName("a capture");
        if (parser.accept(":"))
            param.isConst = parser.expect("const");
        param.span = parser.spanFrom(first);
        out->params.push_back(std::move(param));
        if (!parser.accept(","))
            break;
    }
    parser.expect(")");
    out->doc = parser.acceptText();
    parser.expect("=");
    out->pattern = parsePattern(parser);
    return out;
}

std::shared_ptr<DeclarationTree> parseChainDeclaration(Parser& parser) {
    auto out = std::make_shared<PatternDeclTree>();
    out->isChain = true;
    out->name = parser.expectName("the name of the chain");
    out->doc = parser.acceptText();
    parser.expect("=");
    out->pattern = parsePattern(parser);
    return out;
}

std::shared_ptr<DeclarationTree> parseBuiltinDeclaration(Parser& parser) {
    auto out = std::make_shared<BuiltinTree>();
    out->nameSpan = parser.peek().span;
    out->name = parser.expectName("the name of the built-in rewrite");
    out->doc = parser.acceptText();
    return out;
}

} // namespace fw
