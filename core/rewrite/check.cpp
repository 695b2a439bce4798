// Static checks of rules: everything that can be known without a graph, so that a rule which passes
// fails on a model only where types do not fit.
#include "rewrite/check.h"

#include "base/nearest.h"
#include "rewrite/apply.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// Right sides: operators, values that match or `let` bind, terms that conditions compute.
class RightSide {
public:
    RightSide(const OperatorSet& operators, Bound& bound, Refusals& out)
        : m_operators(operators), m_bound(bound), m_out(out) {}

    void let(const NamedTree& named) {
        if (m_bound.any(named.name))
            m_out.refuse(DiagCode::TextName, named.name + " is bound by match already",
                         named.value.span, "choose another name");
        if (const auto kind = termKind(named.value)) {
            m_bound.attrs.insert_or_assign(named.name, *kind);
            return;
        }
        value(named.value);
        m_lets.insert(named.name);
    }

    void value(const Tree& tree) {
        if (termKind(tree))
            return m_out.refuse(DiagCode::RuleIllegal,
                                "a number needs an operand beside it, whose element type it takes",
                                tree.span);
        switch (tree.kind) {
        case TreeKind::Name:
            return name(tree);
        case TreeKind::Binary:
            return infix(tree);
        case TreeKind::Call:
            return tree.text == "given" ? given(tree) : call(tree);
        case TreeKind::Index:
            // Of an emit with several names; text in brackets is refused below.
            if (tree.text.empty())
                return call(tree.args.at(0));
            [[fallthrough]];
        default:
            return m_out.refuse(DiagCode::RuleIllegal,
                                "this cannot stand on the right side of a rule", tree.span);
        }
    }

private:
    // Of what conditions compute: numbers, attributes, extents, arithmetic of these.
    std::optional<TermKind> termKind(const Tree& tree) const {
        Diags ignored;
        const auto kind = checkTerm(tree, m_bound.vocabulary(), m_out.file(), ignored);
        return kind && *kind != TermKind::Tensor && *kind != TermKind::DType ? kind : std::nullopt;
    }

    void name(const Tree& tree) {
        if (m_bound.attrSets.contains(tree.text))
            return m_out.refuse(DiagCode::TextName,
                                tree.text + " is a list of attributes, not a value", tree.span,
                                "write {*" + tree.text + "}");
        if (m_bound.values.contains(tree.text) || m_lets.contains(tree.text))
            return;
        std::vector<std::string> known(m_bound.values.begin(), m_bound.values.end());
        known.insert(known.end(), m_lets.begin(), m_lets.end());
        m_out.refuse(DiagCode::TextName, tree.text + " is bound neither by match nor by let",
                     tree.span, didYouMean(tree.text, known));
    }

    void infix(const Tree& tree) {
        static const std::set<std::string> signs = {"+", "-", "*", "/"};
        if (!signs.contains(tree.text))
            m_out.refuse(DiagCode::RuleIllegal,
                         "the right side of a rule has no infix " + tree.text, tree.span);
        for (const Tree& part : tree.args)
            if (!termKind(part))
                value(part);
    }

    void given(const Tree& tree) {
        if (tree.args.size() != 3 || !tree.args[0].isName())
            return m_out.refuse(DiagCode::RuleIllegal,
                                "given needs an optional capture and two values", tree.span,
                                "given(b, b + 1, x)");
        for (const Tree& part : tree.args)
            value(part);
    }

    void call(const Tree& tree) {
        const Operator* op = m_operators.find(tree.text);
        if (op == nullptr)
            return m_out.refuse(DiagCode::UnknownOperator,
                                "there is no operator named " + tree.text, tree.span,
                                operatorHint(tree.text, m_operators, nullptr));
        if (const Arity arity = op->arity(); !arity.takes(tree.args.size()))
            m_out.refuse(
                DiagCode::OperatorArity,
                fmt::format("{} has {}, not {}", tree.text, arity.text(), tree.args.size()),
                tree.span, op->signature());
        for (const Tree& part : tree.args)
            value(part);
        for (const TreeAttr& attr : tree.attrs)
            attribute(*op, attr);
    }

    void attribute(const Operator& op, const TreeAttr& attr) {
        if (attr.name == "*") {
            if (!m_bound.attrSets.contains(attr.value.text))
                m_out.refuse(DiagCode::TextName,
                             "no match binds the attributes {*" + attr.value.text + "}", attr.span,
                             didYouMean(attr.value.text,
                                        {m_bound.attrSets.begin(), m_bound.attrSets.end()}));
            return;
        }
        Diags wrong;
        const auto kind = checkTerm(attr.value, m_bound.vocabulary(), m_out.file(), wrong);
        m_out.add(std::move(wrong));
        checkAttribute(op, attr.name, kind, attr.span, m_out);
    }

    const OperatorSet& m_operators;
    Bound& m_bound;
    std::set<std::string> m_lets; // values
    Refusals& m_out;
};

void readRoots(const Tree& tree, const RuleTree& rule, Refusals& out) {
    for (const NamedPattern& named : rule.match)
        if (tree.isName(named.name))
            out.refuse(DiagCode::RuleIllegal,
                       "the right side reads " + named.name + ", which it replaces", tree.span,
                       "write what it is computed from");
    for (const Tree& part : tree.args)
        readRoots(part, rule, out);
}

// As many names as the operator has results, where a call stands for several.
void checkResults(const RuleTree& rule, const OperatorSet& operators, Refusals& out) {
    for (const NamedTree& named : rule.emit) {
        const Tree& tree = named.value;
        if (tree.kind != TreeKind::Index || !tree.text.empty() || tree.integer != 0)
            continue;
        const Operator* op = operators.find(tree.args.at(0).text);
        const auto names = static_cast<std::size_t>(
            std::count_if(rule.emit.begin(), rule.emit.end(), [&](const NamedTree& other) {
                return other.value.kind == TreeKind::Index && other.value.span == tree.span;
            }));
        if (op != nullptr && !op->isNative() && op->outputNames().size() != names)
            out.refuse(DiagCode::RuleIllegal,
                       fmt::format("{} has {} results, not {}", op->name(),
                                   op->outputNames().size(), names),
                       tree.span, op->signature());
    }
}

void checkClauses(const RuleTree& rule, Refusals& out) {
    if (rule.stage != "simplify")
        out.refuse(DiagCode::RuleIllegal,
                   fmt::format("rules are not applied in a stage {}", rule.stage), rule.stageSpan,
                   "leave the stage out: rules are applied to the imported graph (simplify)");
    static const std::vector<std::string> strategies = {"once", "sweep", "fixpoint"};
    if (std::find(strategies.begin(), strategies.end(), rule.strategy) == strategies.end())
        out.refuse(DiagCode::RuleIllegal, "there is no strategy " + rule.strategy,
                   rule.strategySpan,
                   didYouMean(rule.strategy, strategies, "once, sweep or fixpoint"));
}

} // namespace

Diags checkRule(const RuleTree& rule, const OperatorSet& operators, const PatternTable& table,
                const std::string& file, const std::vector<std::string>* targetKeys) {
    Refusals out(file);
    for (const NamedPattern& named : rule.match)
        checkPatternTree(named.pattern, false, operators, table, out);
    checkClauses(rule, out);
    Bound bound = boundBy(rule.match, operators, table);
    Vocabulary known = bound.vocabulary();
    known.targetKeys = targetKeys;
    for (const ConditionTree& condition : rule.where)
        out.add(checkCondition(condition.tree, known, file));
    RightSide right(operators, bound, out);
    for (const NamedTree& named : rule.let) {
        readRoots(named.value, rule, out);
        right.let(named);
    }
    std::set<std::string> given;
    for (const NamedTree& named : rule.emit) {
        if (std::none_of(rule.match.begin(), rule.match.end(),
                         [&](const NamedPattern& one) { return one.name == named.name; }))
            out.refuse(DiagCode::RuleIllegal,
                       "emit gives " + named.name + ", which match does not name",
                       named.value.span);
        if (!given.insert(named.name).second)
            out.refuse(DiagCode::RuleIllegal, "emit gives " + named.name + " more than once",
                       named.value.span);
        if (named.value.kind == TreeKind::Index && named.value.integer > 0)
            continue; // a further result of the same call
        right.value(named.value);
        readRoots(named.value, rule, out);
    }
    checkResults(rule, operators, out);
    return out.take();
}

} // namespace fw
