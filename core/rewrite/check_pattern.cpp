// Static checks of patterns: everything that can be known without a graph.
#include "rewrite/check.h"

#include "base/nearest.h"
#include "pattern/circles.h"
#include "rewrite/apply.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

bool refers(const PatternTree& p) {
    return p.kind == PatternKind::Capture || (p.kind == PatternKind::Call && !p.ofKind);
}

class Collector {
public:
    Collector(const OperatorSet& operators, const PatternTable& table, Bound& bound)
        : m_operators(operators), m_table(table), m_bound(bound) {}

    void pattern(const PatternTree& p, int depth = 0) {
        if (depth > 50 || --m_steps < 0)
            return;
        const auto declared = m_table.find(p.name);
        if (p.kind == PatternKind::Bind ||
            (p.kind == PatternKind::Capture && declared == m_table.end()))
            m_bound.values.insert(p.name);
        const Operator* op =
            p.kind == PatternKind::Call && !p.ofKind ? m_operators.find(p.name) : nullptr;
        for (const PatternAttrTree& attr : p.attrs) {
            if (attr.kind == PatternAttrTree::Kind::All)
                m_bound.attrSets.insert(attr.name);
            else if (attr.kind == PatternAttrTree::Kind::Capture)
                m_bound.attrs.emplace(
                    attr.name,
                    kindOf(op ? op->attrType(attr.name).value_or(AttrType::Any) : AttrType::Any));
        }
        if (refers(p) && declared != m_table.end())
            return pattern(withArguments(*declared->second, p), depth + 1);
        for (const PatternTree& part : p.args)
            pattern(part, depth);
    }

private:
    const OperatorSet& m_operators;
    const PatternTable& m_table;
    Bound& m_bound;
    int m_steps = 100000; // declared patterns that name each other twice would take for ever
};

class PatternCheck {
public:
    PatternCheck(const OperatorSet& operators, const PatternTable& table, Refusals& out)
        : m_operators(operators), m_table(table), m_out(out) {}

    // `previous`: whether `^` stands for something here.
    void pattern(const PatternTree& p, bool previous, bool inSequence = false) {
        const auto declared = m_table.find(p.name);
        const bool isOperator = m_operators.find(p.name) != nullptr;
        if (p.kind == PatternKind::Previous && !previous)
            m_out.refuse(DiagCode::RuleIllegal, "^ stands for nothing here: no step comes before",
                         p.span, "write p >> q(^), or declare a chain");
        if (p.kind == PatternKind::Call)
            call(p);
        if (p.kind == PatternKind::Capture &&
            (isOperator || (declared != m_table.end() && !declared->second->isChain)))
            m_out.refuse(DiagCode::TextName,
                         "the capture " + p.name + " has the name of an operator or pattern",
                         p.span, "choose another name, or write " + p.name + "(...)");
        if (p.kind == PatternKind::Bind && (isOperator || declared != m_table.end()))
            m_out.refuse(DiagCode::TextName,
                         "the capture " + p.name + " has the name of an operator or pattern",
                         p.span, "choose another name");
        if (!inSequence && (p.kind == PatternKind::Optional || p.kind == PatternKind::Repeat))
            m_out.refuse(DiagCode::RuleIllegal, "a step that may be absent stands behind >>",
                         p.span);
        const bool isSequence = p.kind == PatternKind::Sequence;
        for (std::size_t i = 0; i < p.args.size(); ++i) {
            const bool follows = isSequence && i > 0;
            pattern(p.args[i], previous || follows, isSequence);
            if (follows)
                step(p.args[i]);
        }
    }

private:
    // A step behind >> that does not read what comes before it would match anything.
    void step(const PatternTree& p) {
        if (readsPrevious(p))
            return;
        const PatternTree* inner = &p;
        while ((inner->kind == PatternKind::Optional || inner->kind == PatternKind::Repeat) &&
               !inner->args.empty())
            inner = &inner->args[0];
        if (inner->kind == PatternKind::Capture && !m_table.contains(inner->name) &&
            m_operators.find(inner->name) == nullptr)
            m_out.refuse(DiagCode::TextName, "there is no chain named " + inner->name, inner->span,
                         didYouMean(inner->name, chainNames(m_table), "a step behind >> reads ^"));
        else if (inner->kind != PatternKind::Capture || m_table.contains(inner->name))
            m_out.refuse(DiagCode::RuleIllegal, "this step does not read ^, the value before it",
                         inner->span, "write ^ for the operand that comes from there");
    }

    bool readsPrevious(const PatternTree& p) const {
        switch (p.kind) {
        case PatternKind::Previous:
            return true;
        case PatternKind::Capture: {
            const auto declared = m_table.find(p.name);
            return declared != m_table.end() && declared->second->isChain;
        }
        case PatternKind::Alternatives:
            return std::all_of(p.args.begin(), p.args.end(),
                               [&](const PatternTree& part) { return readsPrevious(part); });
        case PatternKind::Sequence: // through its first step
            return !p.args.empty() && readsPrevious(p.args.front());
        case PatternKind::Any:
        case PatternKind::Const:
        case PatternKind::Bind:
        case PatternKind::Call:
        case PatternKind::Optional:
        case PatternKind::Repeat:
            break;
        }
        return std::any_of(p.args.begin(), p.args.end(),
                           [&](const PatternTree& part) { return readsPrevious(part); });
    }

    void call(const PatternTree& p) {
        const bool hasPrevious =
            std::any_of(p.args.begin(), p.args.end(),
                        [](const PatternTree& arg) { return arg.kind == PatternKind::Previous; });
        for (const PatternTree& arg : p.args)
            if (arg.sameAs == "^" && !hasPrevious)
                m_out.refuse(DiagCode::RuleIllegal, "same(^) needs ^ among the operands beside it",
                             arg.span, "add(^, r: same(^))");
        if (p.ofKind) {
            if (!parseKind(p.name))
                m_out.refuse(DiagCode::TextName, "there is no kind " + p.name, p.span,
                             didYouMean(p.name, kindNames(),
                                        fmt::format("{}", fmt::join(kindNames(), ", "))));
            return;
        }
        if (const auto declared = m_table.find(p.name); declared != m_table.end()) {
            const std::size_t count = declared->second->params.size();
            if (p.anyArgs ? p.args.size() > count : p.args.size() != count)
                m_out.refuse(
                    DiagCode::OperatorArity,
                    fmt::format("{} has {} parameters, {} are given", p.name, count, p.args.size()),
                    p.span);
            if (!p.attrs.empty())
                m_out.refuse(DiagCode::RuleIllegal, "a pattern has no attributes", p.span,
                             "write them at the operators inside");
            return;
        }
        const Operator* op = m_operators.find(p.name);
        if (op == nullptr)
            return m_out.refuse(DiagCode::UnknownOperator,
                                "there is no operator, pattern or chain named " + p.name, p.span,
                                operatorHint(p.name, m_operators, &m_table));
        const Arity arity = op->arity();
        if (p.anyArgs ? p.args.size() > arity.most : !arity.takes(p.args.size()))
            m_out.refuse(DiagCode::OperatorArity,
                         fmt::format("{} has {}, not {}", p.name, arity.text(), p.args.size()),
                         p.span, op->signature());
        for (const PatternAttrTree& attr : p.attrs)
            attribute(*op, attr);
    }

    void attribute(const Operator& op, const PatternAttrTree& attr) {
        switch (attr.kind) {
        case PatternAttrTree::Kind::All:
            return;
        case PatternAttrTree::Kind::Capture:
            return checkAttribute(op, attr.name, std::nullopt, attr.span, m_out);
        case PatternAttrTree::Kind::Range:
            return checkAttribute(op, attr.name, TermKind::Integer, attr.span, m_out);
        case PatternAttrTree::Kind::Equal:
            break;
        }
        if (attr.value.isName() && !parseDtype(attr.value.text))
            return m_out.refuse(DiagCode::TextName,
                                attr.value.text + " is no value of an attribute", attr.value.span,
                                "write {" + attr.name + "} to capture it under that name");
        Diags wrong;
        const auto kind = checkTerm(attr.value, {}, m_out.file(), wrong);
        m_out.add(std::move(wrong));
        if (kind)
            checkAttribute(op, attr.name, kind, attr.span, m_out);
    }

    const OperatorSet& m_operators;
    const PatternTable& m_table;
    Refusals& m_out;
};

bool mentions(const PatternTree& p, const std::string& name) {
    return (p.kind == PatternKind::Capture && p.name == name) || p.sameAs == name ||
           std::any_of(p.args.begin(), p.args.end(),
                       [&](const PatternTree& part) { return mentions(part, name); });
}

bool holds(AttrType type, TermKind kind) {
    if (kind == TermKind::Any || type == AttrType::Any)
        return true;
    switch (kindOf(type)) {
    case TermKind::Real:
        return kind == TermKind::Real || kind == TermKind::Integer;
    case TermKind::RealList:
        return kind == TermKind::RealList || kind == TermKind::IntegerList;
    case TermKind::Any: // texts, tensors
        return false;
    default:
        return kindOf(type) == kind;
    }
}

} // namespace

std::vector<std::string> chainNames(const PatternTable& table) {
    std::vector<std::string> out;
    for (const auto& [name, declared] : table)
        if (declared->isChain)
            out.push_back(name);
    return out;
}

Vocabulary Bound::vocabulary() const {
    Vocabulary out;
    out.bind = "match binds";
    out.names.insert(attrs.begin(), attrs.end());
    for (const std::string& name : values)
        out.names.insert_or_assign(name, TermKind::Tensor);
    return out;
}

bool Bound::any(const std::string& name) const {
    return values.contains(name) || attrs.contains(name) || attrSets.contains(name);
}

Bound boundBy(const std::vector<NamedPattern>& patterns, const OperatorSet& operators,
              const PatternTable& table) {
    Bound out;
    Collector collector(operators, table, out);
    for (const NamedPattern& named : patterns) {
        collector.pattern(named.pattern);
        out.values.insert(named.name);
    }
    return out;
}

std::string operatorHint(const std::string& word, const OperatorSet& operators,
                         const PatternTable* table) {
    std::vector<std::string> names;
    for (const Operator* op : operators.all())
        names.push_back(op->name());
    if (table != nullptr)
        for (const auto& [name, declared] : *table)
            names.push_back(name);
    return didYouMean(word, names, "fw ops lists the operators");
}

void checkAttribute(const Operator& op, const std::string& name, std::optional<TermKind> kind,
                    const Span& span, Refusals& out) {
    const std::optional<AttrType> type = op.attrType(name);
    if (!type)
        return out.refuse(DiagCode::TextName, op.name() + " has no attribute " + name, span,
                          didYouMean(name, op.attrNames(), "fw ops " + op.name() + " lists them"));
    if (kind && !holds(*type, *kind))
        out.refuse(DiagCode::UnsupportedAttribute,
                   kindOf(*type) == TermKind::Any
                       ? fmt::format("{} of {} cannot be written here", name, op.name())
                       : fmt::format("{} of {} is {}, not {}", name, op.name(),
                                     kindNoun(kindOf(*type)), kindNoun(*kind)),
                   span);
}

void checkPatternTree(const PatternTree& pattern, bool chain, const OperatorSet& operators,
                      const PatternTable& table, Refusals& out) {
    PatternCheck(operators, table, out).pattern(pattern, chain);
}

Diags checkPattern(const PatternDeclTree& declaration, const OperatorSet& operators,
                   const PatternTable& table, const std::string& file) {
    Refusals out(file);
    // A declaration that leads back to itself would be matched without end.
    if (std::string why = endlessNames(declaration, table); !why.empty())
        out.refuse(DiagCode::RuleIllegal, std::move(why), declaration.span);
    checkPatternTree(declaration.pattern, declaration.isChain, operators, table, out);
    for (const PatternParam& param : declaration.params)
        if (!mentions(declaration.pattern, param.name))
            out.warn(DiagCode::TextName, "the parameter " + param.name + " is not used",
                     param.span);
    return out.take();
}

} // namespace fw
