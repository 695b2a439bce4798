#include "syntax/rule.h"

#include "syntax/clauses.h"
#include "syntax/header.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

// emit gives values to names of match, which are bound there.
std::string boundName(Parser& parser, Expect name) {
    return name == Expect::Root ? parser.expectNewName("a name", name)
                                : parser.bindName("a name", BoundName::Kind::Value, name);
}

NamedTree parseNamedTree(Parser& parser, Expect name) {
    NamedTree named;
    named.name = boundName(parser, name);
    parser.expect("=");
    named.value = parser.expression();
    return named;
}

// "(" NAME "," ... ")" "=" call: value k is the Index tree call[k], which cannot be written itself.
void resultsOfACall(Parser& parser, Expect name, std::vector<NamedTree>& out) {
    std::optional<BoundName::Kind> binds;
    if (name != Expect::Root) // which match binds
        binds = BoundName::Kind::Value;
    const std::vector<std::string> names = parseResults(parser, name, binds);
    parser.expect("=");
    const Tree call = parser.expression();
    if (!parser.failed() && call.kind != TreeKind::Call)
        parser.failAt(call.span, "several names need a call of an operator with as many results");
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

std::vector<NamedTree> namedResults(Parser& parser, Expect name) {
    const Parser::Expecting expecting(parser, Expect::Value);
    std::vector<NamedTree> out;
    do
        if (parser.at("("))
            resultsOfACall(parser, name, out);
        else
            out.push_back(parseNamedTree(parser, name));
    while (!parser.failed() && parser.accept(","));
    return out;
}

void stageClause(Parser& parser, RuleTree& rule) {
    rule.stageSpan = parser.peek().span;
    parser.offer({"simplify", "before"});
    rule.stage = parser.expectName("a stage");
    const Token word = parser.peek();
    const bool named =
        word.text == std::string_view("partition") || word.text == std::string_view("fusion");
    if (rule.stage == "before" || named) { // what is no stage is told where rules are checked
        if (!named)
            rule.stageSpan = word.span;
        parser.offer({"partition", "fusion"});
        rule.stage += " " + parser.expectName("partition or fusion");
    }
}

void strategyClause(Parser& parser, RuleTree& rule) {
    rule.strategySpan = parser.peek().span;
    parser.offer({"once", "sweep", "fixpoint"});
    rule.strategy = parser.expectName("once, sweep or fixpoint");
}

void matchClause(Parser& parser, RuleTree& rule) {
    do
        for (NamedPattern& named : parseMatched(parser))
            rule.match.push_back(std::move(named));
    while (parser.accept(","));
}

void letClause(Parser& parser, RuleTree& rule) {
    for (NamedTree& named : namedResults(parser, Expect::Nothing))
        rule.let.push_back(std::move(named));
}

void emitClause(Parser& parser, RuleTree& rule) {
    for (NamedTree& named : namedResults(parser, Expect::Root))
        rule.emit.push_back(std::move(named));
}

void duplicateClause(Parser&, RuleTree& rule) {
    rule.duplicate = true;
}

void changesClause(Parser&, RuleTree& rule) {
    rule.changes = true;
}

void nameClause(Parser& parser, RuleTree& rule) {
    do {
        RuleTree::Called called;
        const Token first = parser.peek();
        called.value = parser.expectName("a value of emit or let", Expect::Capture);
        parser.expect("=");
        called.name = parser.expectText("the name that its operator gets");
        called.span = parser.spanFrom(first);
        rule.names.push_back(std::move(called));
    } while (!parser.failed() && parser.accept(","));
}

constexpr Clause<RuleTree> ruleClauses[] = {
    {"stage", stageClause},
    {"strategy", strategyClause},
    {"match", matchClause, Stands::Often},
    {"where", parseWhere, Stands::Often},
    {"let", letClause, Stands::Often},
    {"emit", emitClause, Stands::Often},
    {"name", nameClause, Stands::Often},
    {"duplicate", duplicateClause},
    {"changes", changesClause},
    {"expose", parseExposed, Stands::Often},
};

} // namespace

void parseWhere(Parser& parser, RuleTree& rule) {
    const Parser::Expecting expecting(parser, Expect::Condition);
    for (ConditionTree& condition : parser.conditions())
        rule.where.push_back(std::move(condition));
}

void parseExposed(Parser& parser, RuleTree& rule) {
    do {
        const Token first = parser.peek();
        std::string part = parser.expectName("a part of the match", Expect::Capture);
        for (const RuleTree::Exposed& known : rule.expose)
            if (known.name == part)
                parser.failAt(first.span, part + " is exposed already");
        rule.expose.push_back({std::move(part), first.span});
    } while (!parser.failed() && parser.accept(","));
}

std::vector<NamedTree> parseNamedTrees(Parser& parser) {
    std::vector<NamedTree> out;
    do
        out.push_back(parseNamedTree(parser, Expect::Nothing));
    while (parser.accept(","));
    return out;
}

std::shared_ptr<DeclarationTree> parseRuleDeclaration(Parser& parser) {
    auto rule = std::make_shared<RuleTree>();
    const Token first = parser.peek();
    rule->name = parser.expectNewName("the name of the rule");
    rule->doc = parser.acceptText();
    rule->where = headerConditions(parser, *rule);
    parser.expect("{");
    parser.setInRule([&](Parser& inside) {
        const std::string name = fmt::format("{}.op{}", rule->name, rule->operators.size() + 1);
        rule->operators.push_back(parseOperatorInPlace(inside, name));
        return name;
    });
    Clauses<RuleTree>(ruleClauses).parse(parser, *rule);
    parser.setInRule({});
    parser.expect("}");
    const std::size_t wanted = rule->match.size() + rule->expose.size();
    const auto given = static_cast<std::size_t>(
        std::count_if(rule->emit.begin(), rule->emit.end(),
                      [](const NamedTree& named) { return named.name != "_"; }));
    if (!parser.failed() && (rule->match.empty() || given != wanted))
        parser.failAt(parser.spanFrom(first),
                      rule->expose.empty()
                          ? "a rule needs match and emit with the same number of values"
                          : "emit gives every value of match and every value that is exposed");
    return rule;
}

std::shared_ptr<DeclarationTree> parseBuiltinDeclaration(Parser& parser) {
    auto out = std::make_shared<BuiltinTree>();
    out->nameSpan = parser.peek().span;
    out->name = parser.expectName("the name of the built-in rewrite", Expect::Builtin);
    out->doc = parser.acceptText();
    return out;
}

} // namespace fw
