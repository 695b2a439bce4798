#include "syntax/header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fw {

namespace {

Tree joined(const char* sign, Tree left, Tree right) {
    Tree out;
    out.kind = TreeKind::Binary;
    out.text = sign;
    out.span = left.span;
    out.depth = std::max(left.depth, right.depth) + 1;
    out.args = {std::move(left), std::move(right)};
    return out;
}

Tree targetHas(const KeyTree& key) {
    Tree set, member, out;
    set.kind = member.kind = TreeKind::Name;
    set.text = "target";
    member.text = key.name;
    set.span = member.span = out.span = key.span;
    out.kind = TreeKind::Call;
    out.text = "has";
    out.depth = 2;
    out.args = {std::move(set), std::move(member)};
    return out;
}

} // namespace

KeyTree parseKey(Parser& parser, Expect stands) {
    KeyTree out;
    const Token first = parser.peek();
    out.name = parser.expectName("a key of targets", stands);
    while (!parser.failed() && parser.accept("-")) {
        const Token part = parser.take();
        if (part.kind != TokenKind::Name && part.kind != TokenKind::Int)
            parser.failAt(part.span, "a key of targets is written like x86-64-v3");
        out.name += "-" + part.text;
    }
    out.span = parser.spanFrom(first);
    return out;
}

std::vector<KeyTree> parseKeys(Parser& parser) {
    std::vector<KeyTree> out;
    do
        out.push_back(parseKey(parser));
    while (parser.accept(","));
    return out;
}

bool atHeader(const Parser& parser) {
    return parser.at("on") || parser.at("where");
}

std::vector<ConditionTree> parseHeader(Parser& parser, DeclarationTree& declaration,
                                       Expect stands) {
    std::vector<ConditionTree> out;
    if (parser.accept("on"))
        declaration.targets = parseKeys(parser);
    if (parser.accept("where")) {
        const Parser::Expecting expecting(parser, stands);
        out = parser.conditions();
    }
    if (atHeader(parser) && !parser.failed())
        parser.failAt(parser.peek().span,
                      parser.peek().text + (parser.peek().is("on") && declaration.targets.empty()
                                                ? " stands before where"
                                                : " stands once"),
                      "on x86-64, x86-64-v3 where rank(x) == 2, dtype(x) == f32");
    return out;
}

std::optional<ConditionTree> targetCondition(const DeclarationTree& declaration) {
    if (declaration.targets.empty())
        return std::nullopt;
    ConditionTree out{targetHas(declaration.targets.front()),
                      "on " + declaration.targets.front().name};
    for (std::size_t i = 1; i < declaration.targets.size(); ++i) {
        out.tree = joined("||", std::move(out.tree), targetHas(declaration.targets[i]));
        out.text += ", " + declaration.targets[i].name;
    }
    return out;
}

std::vector<ConditionTree> headerConditions(Parser& parser, DeclarationTree& declaration) {
    std::vector<ConditionTree> out = parseHeader(parser, declaration);
    if (auto targets = targetCondition(declaration))
        out.insert(out.begin(), std::move(*targets));
    return out;
}

std::optional<ConditionTree> joinedConditions(const std::vector<ConditionTree>& conditions) {
    if (conditions.empty())
        return std::nullopt;
    const bool several = conditions.size() > 1;
    const auto textOf = [&](const ConditionTree& one) {
        return several && one.tree.text == "||" ? "(" + one.text + ")" : one.text;
    };
    ConditionTree out{conditions.front().tree, textOf(conditions.front())};
    for (std::size_t i = 1; i < conditions.size(); ++i) {
        out.tree = joined("&&", std::move(out.tree), conditions[i].tree);
        out.text += " && " + textOf(conditions[i]);
    }
    return out;
}

} // namespace fw
