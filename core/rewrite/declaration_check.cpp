// Static checks of rules: everything that can be known without a graph, so that a rule which passes
// fails on a model only where types do not fit.
#include "rewrite/declaration_check.h"

#include "base/nearest.h"
#include "ir/number_operands.h"
#include "rewrite/apply.h"
#include "rewrite/driver.h"
#include "rewrite/right_side.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// The names that a pattern gives to values of its operators, and those in repeated steps.
class PartNames {
public:
    explicit PartNames(const PatternTable& table) : m_table(table) {}

    void add(const PatternTree& p, bool again = false) {
        if (p.kind == PatternKind::Bind)
            (again ? repeated : once).insert(p.name);
        const auto declared = m_table.find(p.name);
        if (refers(p) && declared != m_table.end() && m_seen.insert({p.name, again}).second)
            add(declared->second->pattern, again);
        for (const PatternTree& part : p.args)
            add(part, again || p.kind == PatternKind::Repeat);
    }

    std::set<std::string> once, repeated;

private:
    const PatternTable& m_table;
    std::set<std::pair<std::string, bool>> m_seen;
};

// Right sides: operators, values that match or `let` bind, terms that conditions compute.
class RightSideCheck {
public:
    RightSideCheck(const RuleTree& rule, const OperatorSet& operators, const PartNames& parts,
                   Bound& bound, Refusals& out)
        : m_rule(rule), m_operators(operators), m_parts(parts), m_bound(bound), m_out(out) {}

    void let(const NamedTree& named) {
        const bool unread = named.name == "_";
        if (!unread && !m_lets.insert(named.name).second)
            m_out.refuse(DiagCode::TextName, "let gives " + named.name + " more than once",
                         named.value.span, "choose another name");
        else if (m_bound.any(named.name))
            m_out.refuse(DiagCode::TextName, named.name + " is bound by match already",
                         named.value.span, "choose another name");
        if (named.value.kind == TreeKind::Index && named.value.text.empty()) {
            if (!unread)
                m_values.insert(named.name); // a result of a call, which is looked at once
            if (named.value.integer == 0)
                call(named.value.args.at(0));
            return;
        }
        Diags ignored;
        const auto kind = checkTerm(named.value, known(), m_out.file(), ignored);
        if (kind && *kind != TermKind::Tensor) {
            m_bound.attrs.insert_or_assign(named.name, *kind);
            m_known.reset();
            return;
        }
        value(named.value);
        m_values.insert(named.name);
    }

    void value(const Tree& tree) {
        if (termKind(tree))
            return m_out.refuse(DiagCode::RuleIllegal,
                                "a number needs an operand beside it, whose element type it takes",
                                tree.span,
                                "x * 2, or an operator in place of its name: op (x: T[S...]) -> "
                                "y: T[S...] { y[i...] = pow(x[i...], 2) }(x)");
        switch (tree.kind) {
        case TreeKind::Name:
            return name(tree);
        case TreeKind::Binary:
            return infix(tree);
        case TreeKind::Call:
            return tree.text == "given" ? given(tree) : call(tree);
        case TreeKind::Pack:
            return m_out.refuse(DiagCode::RuleIllegal,
                                "a list stands among the operands of an operator", tree.span,
                                "concat(...xs)");
        case TreeKind::Unary:
            return m_out.refuse(DiagCode::RuleIllegal,
                                "a sign stands before numbers only on the right side of a rule",
                                tree.span, "x * -1 is the opposite of x, not(x) of a truth");
        case TreeKind::Index:
            // Of names with several names; text in brackets is refused below.
            if (tree.text.empty())
                return call(tree.args.at(0));
            [[fallthrough]];
        default:
            return m_out.refuse(DiagCode::RuleIllegal,
                                "this cannot stand on the right side of a rule", tree.span);
        }
    }

private:
    const Vocabulary& known() const { // asked for each operand
        if (!m_known)
            m_known = m_bound.vocabulary();
        return *m_known;
    }

    // Of what conditions compute: numbers, attributes, extents, arithmetic of these.
    std::optional<TermKind> termKind(const Tree& tree) const {
        Diags ignored;
        const auto kind = checkTerm(tree, known(), m_out.file(), ignored);
        return kind && *kind != TermKind::Tensor && *kind != TermKind::DType &&
                       *kind != TermKind::Truth
                   ? kind
                   : std::nullopt;
    }

    void name(const Tree& tree) {
        if (m_bound.attrSets.contains(tree.text))
            return m_out.refuse(DiagCode::TextName,
                                tree.text + " is a list of attributes, not a value", tree.span,
                                "write {*" + tree.text + "}");
        if (m_bound.values.contains(tree.text) || m_values.contains(tree.text))
            return;
        if (m_bound.attrs.contains(tree.text))
            return m_out.refuse(DiagCode::TextName, tree.text + " is an attribute, not a value",
                                tree.span, "compute with it beside a value, or in {...}");
        std::vector<std::string> known(m_bound.values.begin(), m_bound.values.end());
        known.insert(known.end(), m_values.begin(), m_values.end());
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
        // What a value is called it is, whatever operators there are.
        const bool named = m_parts.once.contains(tree.text) || m_parts.repeated.contains(tree.text);
        const Operator* op = named ? nullptr : m_operators.find(tree.text);
        if (op == nullptr && isInPlace(tree.text))
            return; // what is wrong with it is told where operators are declared
        if (isNodeByName(tree) && !tree.args[0].text.empty())
            return; // which nodes there are a graph says
        if (op == nullptr && tree.text == "node")
            return m_out.refuse(DiagCode::RuleIllegal,
                                "node wants the name of an operator or a value of the graph",
                                tree.span, "node(\"layer1/conv\")");
        if (op == nullptr && tree.text == "out")
            return m_out.refuse(
                DiagCode::UnknownOperator,
                "out stands in patterns: the right side names all results of a call", tree.span,
                "let (a, b) = split(x), and read b");
        if (op == nullptr && m_bound.values.contains(tree.text))
            return applied(tree);
        if (op == nullptr)
            return m_out.refuse(
                DiagCode::UnknownOperator, "there is no operator named " + tree.text, tree.span,
                tree.text == "const" ? "a number stands beside a value, whose element type it "
                                       "takes: x * 2"
                                     : operatorHint(tree.text, m_operators, nullptr));
        const auto lists = static_cast<std::size_t>(
            std::count_if(tree.args.begin(), tree.args.end(),
                          [](const Tree& part) { return part.kind == TreeKind::Pack; }));
        const std::size_t single = tree.args.size() - lists;
        if (const Arity arity = op->arity(); lists > 0 ? single > arity.most : !arity.takes(single))
            m_out.refuse(DiagCode::OperatorArity,
                         fmt::format("{} has {}, not {}", tree.text, arity.text(), single),
                         tree.span, op->signature());
        operands(tree, op);
        std::set<std::string> written;
        for (const TreeAttr& attr : tree.attrs) {
            attribute(*op, attr);
            if (attr.name != "*" && !written.insert(attr.name).second)
                m_out.refuse(DiagCode::TextName,
                             fmt::format("the attribute {} is written twice", attr.name),
                             attr.span);
        }
    }

    void operands(const Tree& call, const Operator* op) {
        std::vector<bool> isNumber;
        for (const Tree& part : call.args)
            isNumber.push_back(part.kind != TreeKind::Pack && termKind(part));
        for (std::size_t i = 0; i < call.args.size(); ++i)
            if (const Tree& part = call.args[i]; part.kind == TreeKind::Pack)
                list(part);
            else if (!isNumber[i])
                value(part);
            else if (!number(call, part, op, isNumber))
                return; // the next one is none for the same reason
    }

    // Whether it has the element type that the operands beside it give it.
    bool number(const Tree& call, const Tree& part, const Operator* op,
                const std::vector<bool>& isNumber) {
        const auto kind = termKind(part);
        if (kind == TermKind::IntegerList || kind == TermKind::RealList) {
            m_out.refuse(DiagCode::RuleIllegal,
                         fmt::format("{} is a list, and an operand of {} is a value or a number",
                                     termText(part), call.text),
                         part.span);
            return false;
        }
        if (op == nullptr) // of the match, which is any of a kind
            return true;
        const auto at = static_cast<std::size_t>(&part - call.args.data());
        const Status taken = takesNumber(*op, isNumber, at);
        if (!taken)
            m_out.refuse(DiagCode::RuleIllegal, taken.diag().message, part.span, taken.diag().hint);
        return taken.ok();
    }

    // e(x): what e = kind elementwise(...) matched, on other operands.
    void applied(const Tree& tree) {
        if (m_parts.repeated.contains(tree.text))
            return m_out.refuse(
                DiagCode::RuleIllegal,
                tree.text + " stands for several operators, which cannot be applied", tree.span);
        if (!m_parts.once.contains(tree.text) && !isRoot(tree.text))
            return m_out.refuse(DiagCode::UnknownOperator,
                                tree.text + " is the name of no operator inside the match",
                                tree.span, "match y = relu(e = kind elementwise(x)) names one");
        if (!tree.attrs.empty())
            return m_out.refuse(DiagCode::RuleIllegal,
                                "an operator of the match is applied with the attributes it has",
                                tree.span);
        operands(tree, nullptr);
    }

    bool isRoot(const std::string& name) const {
        return std::any_of(m_rule.match.begin(), m_rule.match.end(),
                           [&](const NamedPattern& named) { return named.name == name; });
    }

    bool isInPlace(const std::string& name) const {
        return std::any_of(m_rule.operators.begin(), m_rule.operators.end(),
                           [&](const auto& op) { return op->name == name; });
    }

    void list(const Tree& pack) {
        if (pack.text.empty() || !pack.args.at(0).isName())
            return m_out.refuse(DiagCode::RuleIllegal, "a list is handed on as ...NAME", pack.span);
        name(pack.args.at(0));
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
        const auto kind = checkTerm(attr.value, known(), m_out.file(), wrong);
        m_out.add(std::move(wrong));
        checkAttribute(op, attr.name, kind, attr.span, m_out);
        checkWrittenValue(op, attr.name, attr.value, attr.span, m_out);
    }

    const RuleTree& m_rule;
    const OperatorSet& m_operators;
    const PartNames& m_parts;
    Bound& m_bound;
    mutable std::optional<Vocabulary> m_known; // of m_bound
    std::set<std::string> m_lets, m_values;    // names of let, those that are values
    Refusals& m_out;
};

// `replaced`: what the right side gives anew and has not given yet.
void readReplaced(const Tree& tree, const std::set<std::string>& replaced, Refusals& out) {
    if (tree.isName() && replaced.contains(tree.text))
        out.refuse(DiagCode::RuleIllegal,
                   "the right side reads " + tree.text + ", which it replaces", tree.span,
                   "write what it is computed from");
    for (const Tree& part : tree.args)
        readReplaced(part, replaced, out);
}

// Of match (a, b) = op(x): b is a further result of what a is.
void checkMatchedResults(const RuleTree& rule, const OperatorSet& operators, Refusals& out) {
    for (const NamedPattern& named : rule.match) {
        const PatternTree& p = named.pattern;
        if (p.kind == PatternKind::Output && p.args[0].kind == PatternKind::Capture)
            for (const NamedPattern& first : rule.match)
                if (first.name == p.args[0].name && &first != &named)
                    checkHasResult(first.pattern, p.low, p.span, operators, out);
    }
}

void checkExposed(const RuleTree& rule, const PartNames& parts, Refusals& out) {
    for (const RuleTree::Exposed& exposed : rule.expose) {
        if (parts.repeated.contains(exposed.name))
            out.refuse(DiagCode::RuleIllegal,
                       exposed.name + " stands for several values, which cannot be exposed",
                       exposed.span);
        else if (!parts.once.contains(exposed.name))
            out.refuse(DiagCode::TextName,
                       exposed.name + " is the name of no operator inside the match", exposed.span,
                       "match y = relu(c = conv2d(x, w)) names its value c");
    }
}

// As many names as the operator has results, where a call stands for several.
void checkResults(const std::vector<NamedTree>& named, const OperatorSet& operators,
                  Refusals& out) {
    for (const NamedTree& one : named) {
        const Tree& tree = one.value;
        if (tree.kind != TreeKind::Index || !tree.text.empty() || tree.integer != 0)
            continue;
        const Operator* op = operators.find(tree.args.at(0).text);
        const auto names = static_cast<std::size_t>(
            std::count_if(named.begin(), named.end(), [&](const NamedTree& other) {
                return other.value.kind == TreeKind::Index && other.value.span == tree.span;
            }));
        if (op != nullptr && !op->isNative() && op->outputNames().size() != names)
            out.refuse(DiagCode::RuleIllegal,
                       fmt::format("{} has {} result{}, not {}", op->name(),
                                   op->outputNames().size(),
                                   op->outputNames().size() == 1 ? "" : "s", names),
                       tree.span, op->signature());
    }
}

// Names are given to operators that the right side makes.
void checkNames(const RuleTree& rule, Refusals& out) {
    std::set<std::string> given;
    for (const RuleTree::Called& called : rule.names) {
        const NamedTree* made = nullptr;
        for (const auto* all : {&rule.let, &rule.emit})
            for (const NamedTree& named : *all)
                if (named.name == called.value)
                    made = &named;
        const bool isOperator =
            made != nullptr &&
            (made->value.kind == TreeKind::Binary || made->value.kind == TreeKind::Index ||
             (made->value.kind == TreeKind::Call && !isNodeByName(made->value)));
        if (!isOperator)
            out.refuse(DiagCode::TextName,
                       fmt::format("{} is no value that an operator of the right side makes",
                                   called.value),
                       called.span, "emit y = relu(x)  name y = \"first\"");
        else if (called.name.empty())
            out.refuse(DiagCode::TextName, "an operator has a name that is not empty", called.span);
        else if (!given.insert(called.name).second)
            out.refuse(DiagCode::TextName,
                       "another operator of the rule is called " + quoteText(called.name),
                       called.span);
    }
}

void checkClauses(const RuleTree& rule, Refusals& out) {
    const std::vector<std::string>& stages = rewriteStages();
    if (std::find(stages.begin(), stages.end(), rule.stage) == stages.end())
        out.refuse(DiagCode::RuleIllegal, "there is no stage " + rule.stage, rule.stageSpan,
                   fmt::format("there are {}", fmt::join(stages, ", ")));
    static const std::vector<std::string> strategies = {"once", "sweep", "fixpoint"};
    if (std::find(strategies.begin(), strategies.end(), rule.strategy) == strategies.end())
        out.refuse(DiagCode::RuleIllegal, "there is no strategy " + rule.strategy,
                   rule.strategySpan,
                   didYouMean(rule.strategy, strategies, "once, sweep or fixpoint"));
}

} // namespace

Diags checkRule(const RuleTree& rule, const OperatorSet& operators, const PatternTable& table,
                const std::string& file, const std::vector<std::string>* targetKeys) {
    return checkRule(rule, operators, table, file, targetKeys, ValueNames::Apart);
}

Diags checkRule(const RuleTree& rule, const OperatorSet& operators, const PatternTable& table,
                const std::string& file, const std::vector<std::string>* targetKeys,
                ValueNames names) {
    Refusals out(file);
    Bound bound = boundBy(rule.match, operators, table);
    for (const NamedPattern& named : rule.match)
        checkPatternTree(named.pattern, false, operators, table, bound, out, names);
    checkMatchedResults(rule, operators, out);
    checkClauses(rule, out);
    checkConditions(rule.where, bound, targetKeys, out);
    PartNames parts(table);
    for (const NamedPattern& named : rule.match)
        parts.add(named.pattern);
    RightSideCheck right(rule, operators, parts, bound, out);
    checkExposed(rule, parts, out);
    std::set<std::string> replaced; // by emit
    for (const NamedPattern& named : rule.match)
        replaced.insert(named.name);
    for (const RuleTree::Exposed& exposed : rule.expose)
        replaced.insert(exposed.name);
    const std::set<std::string> toGive = replaced;
    const auto isExposed = [&](const std::string& name) {
        return std::any_of(rule.expose.begin(), rule.expose.end(),
                           [&](const auto& exposed) { return exposed.name == name; });
    };
    for (const NamedTree& named : rule.let) {
        readReplaced(named.value, replaced, out);
        right.let(named);
    }
    std::set<std::string> given;
    for (const NamedTree& named : rule.emit) {
        const bool unread = named.name == "_";
        if (!unread && !toGive.contains(named.name))
            out.refuse(DiagCode::RuleIllegal,
                       "emit gives " + named.name + ", which match does not name",
                       named.value.span);
        if (!unread && !given.insert(named.name).second)
            out.refuse(DiagCode::RuleIllegal, "emit gives " + named.name + " more than once",
                       named.value.span);
        if (named.value.kind == TreeKind::Index && named.value.integer > 0)
            continue; // a further result of the same call
        right.value(named.value);
        readReplaced(named.value, replaced, out);
        if (isExposed(named.name))
            replaced.erase(named.name); // what comes behind it reads what was given
    }
    checkResults(rule.let, operators, out);
    checkResults(rule.emit, operators, out);
    checkNames(rule, out);
    return out.take();
}

} // namespace fw
