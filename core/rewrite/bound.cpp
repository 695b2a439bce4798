// The names that a left side binds.
#include "rewrite/declaration_check.h"

namespace fw {

namespace {

TermKind elementOf(TermKind list) {
    return list == TermKind::IntegerList ? TermKind::Integer
           : list == TermKind::RealList  ? TermKind::Real
                                         : TermKind::Any;
}

class Collector {
public:
    Collector(const OperatorSet& operators, const PatternTable& table, Bound& bound)
        : m_operators(operators), m_table(table), m_bound(bound) {}

    void pattern(const PatternTree& p, int depth = 0) {
        if (depth > 50 || --m_steps < 0)
            return;
        const auto declared = refers(p) ? m_table.find(p.name) : m_table.end();
        if ((p.kind == PatternKind::Bind && !p.shared) ||
            (p.kind == PatternKind::Capture && declared == m_table.end()))
            m_bound.values.insert(p.name);
        const Operator* op =
            p.kind == PatternKind::Call && !p.ofKind ? m_operators.find(p.name) : nullptr;
        for (const PatternAttrTree& attr : p.attrs)
            attribute(attr, op);
        for (const PatternConstraint& one : p.constraints)
            if (one.kind == PatternConstraint::Kind::Type)
                type(one);
        if (declared != m_table.end())
            return pattern(withArguments(*declared->second, p), depth + 1);
        if (p.kind == PatternKind::Not)
            return; // what it binds is forgotten
        for (const PatternTree& part : p.args)
            pattern(part, depth);
    }

private:
    void attribute(const PatternAttrTree& attr, const Operator* op) {
        const TermKind kind =
            kindOf(op ? op->attrType(attr.name).value_or(AttrType::Any) : AttrType::Any);
        if (attr.kind == PatternAttrTree::Kind::All)
            m_bound.attrSets.insert(attr.name);
        else if (attr.kind == PatternAttrTree::Kind::Capture)
            m_bound.attrs.emplace(attr.name, kind);
        else if (attr.kind == PatternAttrTree::Kind::Equal && isFreeName(attr.value))
            m_bound.attrs.emplace(attr.value.text, kind);
        else if (attr.kind == PatternAttrTree::Kind::Equal && attr.value.kind == TreeKind::List)
            for (const Tree& part : attr.value.args)
                if (isFreeName(part))
                    m_bound.attrs.emplace(part.text, elementOf(kind));
    }

    void type(const PatternConstraint& wanted) {
        if (wanted.name != "any" && !parseDtype(wanted.name))
            m_bound.attrs.emplace(wanted.name, TermKind::DType);
        for (const Tree& dim : wanted.dims)
            if (isFreeName(dim))
                m_bound.attrs.emplace(dim.text, TermKind::Integer);
            else if (dim.kind == TreeKind::Pack && !dim.args.empty())
                m_bound.attrs.emplace(dim.args[0].text, TermKind::IntegerList);
    }

    const OperatorSet& m_operators;
    const PatternTable& m_table;
    Bound& m_bound;
    int m_steps = 100000; // declared patterns that name each other twice would take for ever
};

} // namespace

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

} // namespace fw
