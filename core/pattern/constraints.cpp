// What is demanded of a value behind ":", and the names of dims and element types that it binds.
#include "pattern/match.h"
#include "pattern/repeated.h"

#include "ir/missing_type.h"
#include "ir/number_operands.h"
#include "ir/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// Whether a name in it has no value yet.
bool isOpen(const Tree& tree, const Scope& scope) {
    return (isFreeName(tree) && !scope.names.contains(tree.text)) ||
           std::any_of(tree.args.begin(), tree.args.end(),
                       [&](const Tree& part) { return isOpen(part, scope); });
}

// Every element of a constant is the number; of a list each its own, along a single axis.
bool hasValue(const TensorData& data, const PreparedConstraint& wanted) {
    const auto is = [](const TensorData& one, const std::optional<Number>& number) {
        return number && isNumber(one, *number);
    };
    if (wanted.tree->value.kind != TreeKind::List)
        return is(data, wanted.numbers.front());
    if (data.extents().size() != 1 || data.count() != wanted.numbers.size() || data.count() == 0)
        return false;
    const std::size_t size = dtypeBytes(data.dtype());
    for (std::size_t i = 0; i < wanted.numbers.size(); ++i) {
        const auto begin = data.bytes().begin() + static_cast<std::ptrdiff_t>(i * size);
        const TensorData one(
            data.dtype(), {},
            std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(size)));
        if (!is(one, wanted.numbers[i]))
            return false;
    }
    return true;
}

} // namespace

Scope scopeOf(const Graph& graph, const MatchBindings& bindings) {
    Scope out;
    out.restIsAbsent = true;
    for (const auto& [name, attr] : bindings.attrValues)
        if (auto value = valueOf(attr))
            out.names.emplace(name, std::move(*value));
    for (const auto& [name, value] : bindings.terms)
        out.names.emplace(name, value);
    for (const auto& [name, list] : bindings.lists)
        if (!list.empty())
            out.lists.insert(name);
    for (const auto& [name, value] : bindings.values)
        out.names.insert_or_assign(name, value.valid() ? TermValue(TensorValue{&graph, value})
                                                       : TermValue(AbsentPart()));
    return out;
}

Scope Matcher::scope() {
    Scope out;
    out.restIsAbsent = true;
    const auto each = [&](Bound::Of of, const auto& add) {
        for (const Bound& one : m_bound)
            if (one.of == of)
                add(one, names().text(one.name), static_cast<std::size_t>(one.name));
    };
    each(Bound::Of::Attribute, [&](const Bound&, const std::string& name, std::size_t at) {
        if (auto value = valueOf(*m_attrValues[at]))
            out.names.emplace(name, std::move(*value));
    });
    each(Bound::Of::Term, [&](const Bound&, const std::string& name, std::size_t at) {
        out.names.emplace(name, *m_terms[at]);
    });
    each(Bound::Of::Value, [&](const Bound& one, const std::string& name, std::size_t) {
        const ValueRef value = *valueAt(one.name, one.repetition);
        out.names.insert_or_assign(name + repetitionMark(one.repetition),
                                   value.valid() ? TermValue(TensorValue{&m_graph, value})
                                                 : TermValue(AbsentPart()));
    });
    return out;
}

bool Matcher::constant(Part p, const PreparedConstraint& wanted, ValueRef v) {
    const TensorData* data = m_graph.constant(v);
    const bool equal = wanted.tree->kind == PatternConstraint::Kind::Equal;
    if (data == nullptr)
        return refuse(
            equal ? Missed::Other : Missed::Constant, p,
            [&] { return equal ? wanted.tree->text : std::string("a constant"); },
            [&] { return describe(v); });
    if (!equal)
        return true;
    return hasValue(*data, wanted) ||
           refuse(
               Missed::Other, p, [&] { return wanted.tree->text; },
               [&] {
                   return data->count() == 1 ? fmt::format("{}", data->at(0))
                                             : describe(v) + ": " + m_graph.type(v).text();
               });
}

bool Matcher::constrained(Part p, ValueRef v) {
    for (const PreparedConstraint& wanted : p->constraints)
        switch (wanted.tree->kind) {
        case PatternConstraint::Kind::Const:
        case PatternConstraint::Kind::Equal:
            if (!constant(p, wanted, v))
                return false;
            break;
        case PatternConstraint::Kind::Input:
            if (!v.valid() || !m_graph.node(v.node).isInput())
                return refuse(
                    Missed::Other, p, [] { return "an input of the graph"; },
                    [&] { return describe(v); });
            break;
        case PatternConstraint::Kind::Type:
            if (!type(p, wanted, v))
                return false;
            break;
        case PatternConstraint::Kind::Same:
            break;
        }
    return true;
}

bool Matcher::sameTypes(Part p, ValueRef v) {
    for (const PreparedConstraint& wanted : p->constraints)
        if (wanted.same.number >= 0 &&
            !sameType(p, wanted.tree->name, boundValue(wanted.same, p), v))
            return false;
    return true;
}

bool Matcher::sameType(Part p, const std::string& name, std::optional<ValueRef> other, ValueRef v) {
    const auto expected = [&] { return "a value of the type of " + writtenName(name); };
    for (const ValueRef value : {other.value_or(ValueRef()), v})
        if (const auto missing = missingType(m_graph, value))
            return refuse(Missed::SameType, p, expected, [&] { return missing->why; });
    if (!other || !other->valid() || !v.valid())
        return refuse(Missed::SameType, p, expected, [] { return "nothing to compare with"; });
    const TensorType &type = m_graph.type(*other), &found = m_graph.type(v);
    return type == found ||
           refuse(
               Missed::SameType, p, [&] { return type.text(); }, [&] { return found.text(); });
}

bool Matcher::type(Part p, const PreparedConstraint& wanted, ValueRef v) {
    if (!v.valid())
        return noValue(p);
    const PatternConstraint& tree = *wanted.tree;
    if (const auto missing = missingType(m_graph, v))
        if (tree.hasShape || (missing->element && (wanted.dtype || wanted.element >= 0)))
            return refuse(
                Missed::Type, p, [&] { return tree.text; }, [&] { return missing->why; });
    const TensorType& found = m_graph.type(v);
    if (wanted.dtype && *wanted.dtype != found.dtype)
        return refuse(
            Missed::Type, p, [&] { return tree.text; }, [&] { return found.text(); });
    if (wanted.element >= 0 && !bindTerm(p, wanted.element, found.dtype))
        return false;
    return !tree.hasShape || shape(p, wanted, found);
}

bool Matcher::shape(Part p, const PreparedConstraint& wanted, const TensorType& found) {
    const std::string& text = wanted.tree->text;
    const auto other = [&] {
        return refuse(
            Missed::Type, p, [&] { return text; }, [&] { return found.text(); });
    };
    const bool open = std::any_of(wanted.dims.begin(), wanted.dims.end(),
                                  [](const PreparedTerm& dim) { return dim.isPack; });
    const std::size_t count = wanted.dims.size(), rank = found.shape.size();
    if (open ? rank + 1 < count : rank != count)
        return other();
    std::size_t axis = 0;
    for (const PreparedTerm& dim : wanted.dims) {
        if (!dim.isPack) {
            if (dim.value && equalTerms(*dim.value, found.shape[axis]) != Truth::Yes)
                return other();
            if (!dim.value && !term(p, dim, found.shape[axis], text))
                return false;
            ++axis;
            continue;
        }
        const std::size_t packed = rank + 1 - count;
        const auto begin = found.shape.begin() + static_cast<std::ptrdiff_t>(axis);
        if (dim.name >= 0 &&
            !bindTerm(p, dim.name, Exprs(begin, begin + static_cast<std::ptrdiff_t>(packed))))
            return false;
        axis += packed;
    }
    return true;
}

bool Matcher::bindTerm(Part p, int name, const TermValue& found) {
    const auto at = static_cast<std::size_t>(name);
    const auto again = [&](const TermValue& before) {
        return equalTerms(before, found) == Truth::Yes ||
               refuse(
                   Missed::Type, p,
                   [&] { return fmt::format("{} = {} again", names().text(name), textOf(before)); },
                   [&] { return textOf(found); });
    };
    if (m_attrValues[at])
        if (const auto value = valueOf(*m_attrValues[at]); !value || !again(*value))
            return false;
    if (m_terms[at])
        return again(*m_terms[at]);
    m_terms[at] = found;
    m_bound.push_back({Bound::Of::Term, name, 0});
    return true;
}

bool Matcher::term(Part p, const PreparedTerm& written, const TermValue& found,
                   std::string_view clause) {
    if (written.isAny)
        return true;
    if (written.name >= 0)
        return bindTerm(p, written.name, found);
    const Scope known = scope();
    if (isOpen(*written.tree, known)) {
        m_pending.push_back({nullptr, &written, found, p, clause});
        return true;
    }
    return equalsTerm(p, written, known, found, clause);
}

bool Matcher::equalsTerm(Part p, const PreparedTerm& written, const Scope& scope,
                         const TermValue& found, std::string_view clause) {
    const auto value = evaluate(*written.tree, scope);
    return (value && equalTerms(*value, found) == Truth::Yes) ||
           refuse(
               Missed::Type, p,
               [&] {
                   return value ? fmt::format("{}: {}", clause, textOf(*value))
                                : std::string(clause);
               },
               [&] { return textOf(found); });
}

// Of a declared pattern: one of its conditions.
bool Matcher::holds(const Pending& one) {
    ConditionTree condition = *one.condition;
    nameRepetition(condition.tree, m_prepared->repeated().values,
                   [&](int own) { return one.at.repetitionOf(own); });
    Scope known = scope();
    known.offer = m_options.offer;
    TargetOffer wanted;
    if (m_options.offer == nullptr) {
        addWanted(condition.tree, wanted);
        known.offer = &wanted;
    }
    const ConditionResult result = decide(condition, known);
    return result.truth == Truth::Yes || refuse(
                                             Missed::Type, one.at, [&] { return condition.text; },
                                             [&] { return result.evidence; });
}

bool Matcher::pendingHold() {
    if (m_pending.empty())
        return true;
    const Scope known = scope();
    // What is asked of a part that is absent does not speak of this match.
    return std::all_of(m_pending.begin(), m_pending.end(), [&](const Pending& one) {
        return one.condition != nullptr
                   ? holds(one)
                   : isOpen(*one.term->tree, known) ||
                         equalsTerm(one.at, *one.term, known, one.found, one.clause);
    });
}

} // namespace fw
