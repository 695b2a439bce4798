// Static checks of rules: everything that can be known without a graph, so that a rule which passes
// fails on a model only where types do not fit.
#include "pattern/circles.h"
#include "rewrite/apply.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// What the left side binds.
struct Bound {
    std::set<std::string> values;
    std::set<std::string> attrs;    // {axis}
    std::set<std::string> attrSets; // {*a}
    int steps = 100000; // declared patterns that name each other twice would take for ever

    bool any(const std::string& name) const {
        return values.contains(name) || attrs.contains(name) || attrSets.contains(name);
    }
};

void collectBound(const PatternTree& p, const PatternTable& table, Bound& bound, int depth = 0) {
    if (depth > 50 || --bound.steps < 0)
        return;
    const auto declared = table.find(p.name);
    if (p.kind == PatternKind::Bind || (p.kind == PatternKind::Capture && declared == table.end()))
        bound.values.insert(p.name);
    for (const PatternAttrTree& attr : p.attrs) {
        if (attr.kind == PatternAttrTree::Kind::All)
            bound.attrSets.insert(attr.name);
        else if (attr.kind == PatternAttrTree::Kind::Capture)
            bound.attrs.insert(attr.name);
    }
    const bool refers =
        (p.kind == PatternKind::Call && !p.ofKind) || p.kind == PatternKind::Capture;
    if (refers && declared != table.end())
        return collectBound(withArguments(*declared->second, p), table, bound, depth + 1);
    for (const PatternTree& part : p.args)
        collectBound(part, table, bound, depth);
}

class Check {
public:
    Check(const OperatorSet& operators, const PatternTable& table, const std::string& file)
        : m_operators(operators), m_table(table), m_file(file) {}

    void pattern(const PatternTree& p, bool inSequence = false) {
        const auto declared = m_table.find(p.name);
        if (p.kind == PatternKind::Call)
            call(p);
        if (p.kind == PatternKind::Capture &&
            (m_operators.find(p.name) != nullptr ||
             (declared != m_table.end() && !declared->second->isChain)))
            refuse(DiagCode::TextName,
                   "the capture " + p.name + " has the name of an operator or pattern", p.span,
                   "choose another name, or write " + p.name + "(...)");
        if (p.kind == PatternKind::Bind &&
            (m_operators.find(p.name) != nullptr || declared != m_table.end()))
            refuse(DiagCode::TextName,
                   "the capture " + p.name + " has the name of an operator or pattern", p.span,
                   "choose another name");
        if (!inSequence && (p.kind == PatternKind::Optional || p.kind == PatternKind::Repeat))
            refuse(DiagCode::RuleIllegal, "a step that may be absent stands behind >>", p.span);
        for (const PatternTree& part : p.args)
            pattern(part, p.kind == PatternKind::Sequence);
    }

    // A declaration that leads back to itself would be matched without end.
    void endless(const PatternDeclTree& declaration) {
        if (std::string why = endlessNames(declaration, m_table); !why.empty())
            refuse(DiagCode::RuleIllegal, std::move(why), declaration.span);
    }

    void right(const Tree& tree, const Bound& bound) {
        if (numeric(tree, bound))
            return refuse(DiagCode::RuleIllegal,
                          "a number needs an operand beside it, whose element type it takes",
                          tree.span);
        switch (tree.kind) {
        case TreeKind::Name:
            if (bound.attrSets.contains(tree.text))
                return refuse(DiagCode::TextName,
                              tree.text + " is a list of attributes, not a value", tree.span,
                              "write {*" + tree.text + "}");
            if (!bound.values.contains(tree.text))
                refuse(DiagCode::TextName, tree.text + " is bound neither by match nor by let",
                       tree.span);
            return;
        case TreeKind::Binary:
            if (tree.text != "+" && tree.text != "-" && tree.text != "*" && tree.text != "/")
                refuse(DiagCode::RuleIllegal, "the right side of a rule has no infix " + tree.text,
                       tree.span);
            if (numeric(tree.args[0], bound) && numeric(tree.args[1], bound))
                refuse(DiagCode::RuleIllegal, "one side of an infix must be a value", tree.span);
            for (const Tree& part : tree.args)
                if (!numeric(part, bound))
                    right(part, bound);
            return;
        case TreeKind::Call:
            return rightCall(tree, bound);
        default:
            return refuse(DiagCode::RuleIllegal, "this cannot stand on the right side of a rule",
                          tree.span);
        }
    }

    void condition(const Tree& tree, const Bound& bound) {
        if (tree.kind == TreeKind::Unary && tree.text == "!")
            return condition(tree.args[0], bound);
        if (tree.kind == TreeKind::Binary && (tree.text == "&&" || tree.text == "||")) {
            condition(tree.args[0], bound);
            return condition(tree.args[1], bound);
        }
        if (tree.kind == TreeKind::Binary && tree.text.find_first_of("=<>") != std::string::npos) {
            if (tree.args[0].isCall("dtype") || tree.args[1].isCall("dtype"))
                return dtypeComparison(tree, bound);
            number(tree.args[0], bound);
            return number(tree.args[1], bound);
        }
        static const std::set<std::string> tests = {"used_once", "not_result", "finite"};
        if (tree.kind == TreeKind::Call && tests.contains(tree.text) && tree.args.size() == 1)
            return value(tree.args[0], bound);
        refuse(DiagCode::RuleIllegal, "this condition is not understood", tree.span,
               "used_once(v), not_result(v), finite(v), dtype(v) == f32, or a comparison of "
               "attributes, rank(v), dim(v, i) and integers");
    }

    void refuse(DiagCode code, std::string message, const Span& span, std::string hint = {}) {
        m_out.push_back(makeDiag(code, std::move(message), {m_file, {}, span.line, span.column},
                                 std::move(hint)));
    }

    Diags take() { return std::move(m_out); }

private:
    void call(const PatternTree& p) {
        const bool hasPrevious =
            std::any_of(p.args.begin(), p.args.end(),
                        [](const PatternTree& arg) { return arg.kind == PatternKind::Previous; });
        for (const PatternTree& arg : p.args)
            if (arg.sameAs == "^" && !hasPrevious)
                refuse(DiagCode::RuleIllegal, "same(^) needs ^ among the operands beside it",
                       arg.span, "add(^, r: same(^))");
        if (p.ofKind) {
            if (!parseKind(p.name))
                refuse(
                    DiagCode::TextName, "there is no kind " + p.name, p.span,
                    "elementwise, broadcast, injective, reduction, window, rowwise, contraction");
            return;
        }
        if (const auto declared = m_table.find(p.name); declared != m_table.end()) {
            const std::size_t count = declared->second->params.size();
            if (p.anyArgs ? p.args.size() > count : p.args.size() != count)
                refuse(
                    DiagCode::OperatorArity,
                    fmt::format("{} has {} parameters, {} are given", p.name, count, p.args.size()),
                    p.span);
            if (!p.attrs.empty())
                refuse(DiagCode::RuleIllegal, "a pattern has no attributes", p.span,
                       "write them at the operators inside");
            return;
        }
        const Operator* op = m_operators.find(p.name);
        if (op == nullptr)
            return refuse(DiagCode::UnknownOperator,
                          "there is no operator, pattern or chain named " + p.name, p.span,
                          "fw ops lists the operators");
        for (const PatternAttrTree& attr : p.attrs)
            if (attr.kind != PatternAttrTree::Kind::All)
                attribute(*op, attr.name, attr.span);
    }

    void attribute(const Operator& op, const std::string& name, const Span& span) {
        const std::vector<std::string> names = op.attrNames();
        if (op.name() != "unknown" && std::find(names.begin(), names.end(), name) == names.end())
            refuse(DiagCode::TextName, op.name() + " has no attribute " + name, span,
                   "fw ops " + op.name() + " lists them");
    }

    static bool numeric(const Tree& tree, const Bound& bound) {
        if (tree.kind == TreeKind::Unary && tree.text == "-")
            return tree.args[0].kind == TreeKind::Int || tree.args[0].kind == TreeKind::Float;
        return tree.kind == TreeKind::Int || tree.kind == TreeKind::Float ||
               (tree.isName() && bound.attrs.contains(tree.text) &&
                !bound.values.contains(tree.text));
    }

    void rightCall(const Tree& tree, const Bound& bound) {
        if (tree.text == "given") {
            if (tree.args.size() != 3 || !tree.args[0].isName())
                return refuse(DiagCode::RuleIllegal,
                              "given needs an optional capture and two values", tree.span,
                              "given(b, b + 1, x)");
            for (const Tree& part : tree.args)
                right(part, bound);
            return;
        }
        const Operator* op = m_operators.find(tree.text);
        if (op == nullptr)
            return refuse(DiagCode::UnknownOperator, "there is no operator named " + tree.text,
                          tree.span, "fw ops lists the operators");
        for (const Tree& part : tree.args)
            right(part, bound);
        for (const TreeAttr& attr : tree.attrs) {
            if (attr.name == "*") {
                if (!bound.attrSets.contains(attr.value.text))
                    refuse(DiagCode::TextName,
                           "no match binds the attributes {*" + attr.value.text + "}", attr.span);
                continue;
            }
            attribute(*op, attr.name, attr.span);
            if (attr.value.isCall("dim"))
                number(attr.value, bound);
            if (attr.value.isName() && !bound.attrs.contains(attr.value.text) &&
                !parseDtype(attr.value.text))
                refuse(DiagCode::TextName, attr.value.text + " is no attribute that match captures",
                       attr.value.span);
        }
    }

    void value(const Tree& tree, const Bound& bound) {
        if (!tree.isName() || !bound.values.contains(tree.text))
            refuse(DiagCode::TextName,
                   (tree.isName() ? tree.text : std::string("this")) +
                       " is no value that match binds",
                   tree.span);
    }

    void dtypeComparison(const Tree& tree, const Bound& bound) {
        const Tree& call = tree.args[0].isCall("dtype") ? tree.args[0] : tree.args[1];
        const Tree& name = tree.args[0].isCall("dtype") ? tree.args[1] : tree.args[0];
        if (call.args.size() != 1)
            return refuse(DiagCode::RuleIllegal, "dtype needs one value", call.span);
        value(call.args[0], bound);
        if (!name.isName() || !parseDtype(name.text) || (tree.text != "==" && tree.text != "!="))
            refuse(DiagCode::RuleIllegal,
                   "an element type is compared by == or != with f32, i64, ...", tree.span);
    }

    void number(const Tree& tree, const Bound& bound) {
        if (tree.kind == TreeKind::Int || (tree.kind == TreeKind::Unary && tree.text == "-" &&
                                           tree.args[0].kind == TreeKind::Int))
            return;
        if (tree.isName()) {
            if (!bound.attrs.contains(tree.text))
                refuse(DiagCode::TextName, tree.text + " is no attribute that match captures",
                       tree.span);
            return;
        }
        if ((tree.isCall("rank") && tree.args.size() == 1) ||
            (tree.isCall("dim") && tree.args.size() == 2)) {
            value(tree.args[0], bound);
            if (tree.args.size() == 2)
                number(tree.args[1], bound);
            return;
        }
        if (tree.kind == TreeKind::Binary && tree.text == "*") {
            number(tree.args[0], bound);
            number(tree.args[1], bound);
            return;
        }
        refuse(DiagCode::RuleIllegal,
               "an integer, an attribute, rank(v), dim(v, i) or a product of these expected",
               tree.span);
    }

    const OperatorSet& m_operators;
    const PatternTable& m_table;
    const std::string& m_file;
    Diags m_out;
};

void readRoots(const Tree& tree, const RuleTree& rule, Check& check) {
    for (const NamedPattern& named : rule.match)
        if (tree.isName(named.name))
            check.refuse(DiagCode::RuleIllegal,
                         "the right side reads " + named.name + ", which it replaces", tree.span,
                         "write what it is computed from");
    for (const Tree& part : tree.args)
        readRoots(part, rule, check);
}

} // namespace

Diags checkPattern(const PatternDeclTree& declaration, const OperatorSet& operators,
                   const PatternTable& table, const std::string& file) {
    Check check(operators, table, file);
    check.endless(declaration);
    check.pattern(declaration.pattern);
    return check.take();
}

Diags checkRule(const RuleTree& rule, const OperatorSet& operators, const PatternTable& table,
                const std::string& file) {
    Check check(operators, table, file);
    Bound bound;
    for (const NamedPattern& named : rule.match) {
        check.pattern(named.pattern);
        collectBound(named.pattern, table, bound);
        bound.values.insert(named.name);
    }
    static const std::set<std::string> stages = {"simplify", "before partition", "before fusion"};
    if (!stages.contains(rule.stage))
        check.refuse(DiagCode::RuleIllegal, "there is no stage " + rule.stage, rule.stageSpan,
                     "simplify, before partition or before fusion");
    static const std::set<std::string> strategies = {"once", "sweep", "fixpoint"};
    if (!strategies.contains(rule.strategy))
        check.refuse(DiagCode::RuleIllegal, "there is no strategy " + rule.strategy,
                     rule.strategySpan, "once, sweep or fixpoint");
    for (const Tree& condition : rule.where)
        check.condition(condition, bound);
    for (const NamedTree& named : rule.let) {
        check.right(named.value, bound);
        readRoots(named.value, rule, check);
        bound.values.insert(named.name);
    }
    for (const NamedTree& named : rule.emit) {
        const auto matched = [&](const NamedPattern& pattern) {
            return pattern.name == named.name;
        };
        if (std::none_of(rule.match.begin(), rule.match.end(), matched))
            check.refuse(DiagCode::RuleIllegal,
                         "emit gives " + named.name + ", which match does not name",
                         named.value.span);
        check.right(named.value, bound);
        readRoots(named.value, rule, check);
    }
    return check.take();
}

} // namespace fw
