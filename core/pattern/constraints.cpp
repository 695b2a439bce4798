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

std::optional<Number> numberIn(const Tree& tree) {
    if (const auto integer = integerFromTree(tree))
        return Number(*integer);
    if (const auto real = numberFromTree(tree))
        return Number(*real);
    const auto computed = evaluate(tree, {});
    const auto real = computed ? numberOf(*computed) : std::nullopt;
    return real ? std::optional(Number(*real)) : std::nullopt;
}

// Every element of a constant is the number; of a list each its own, along a single axis.
bool hasValue(const TensorData& data, const Tree& wanted) {
    if (wanted.kind != TreeKind::List) {
        const auto number = numberIn(wanted);
        return number && isNumber(data, *number);
    }
    if (data.extents().size() != 1 || data.count() != wanted.args.size() || data.count() == 0)
        return false;
    const std::size_t size = dtypeBytes(data.dtype());
    for (std::size_t i = 0; i < wanted.args.size(); ++i) {
        const auto number = numberIn(wanted.args[i]);
        const TensorData one(
            data.dtype(), {},
            std::vector<std::byte>(data.bytes().begin() + static_cast<std::ptrdiff_t>(i * size),
                                   data.bytes().begin() +
                                       static_cast<std::ptrdiff_t>((i + 1) * size)));
        if (!number || !isNumber(one, *number))
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

bool Matcher::constant(const PatternTree& p, const PatternConstraint& wanted, ValueRef v) {
    const TensorData* data = m_graph.constant(v);
    const bool equal = wanted.kind == PatternConstraint::Kind::Equal;
    if (data == nullptr)
        return refuse(
            equal ? Missed::Other : Missed::Constant, p,
            [&] { return equal ? wanted.text : std::string("a constant"); },
            [&] { return describe(v); });
    if (!equal)
        return true;
    return hasValue(*data, wanted.value) ||
           refuse(
               Missed::Other, p, [&] { return wanted.text; },
               [&] {
                   return data->count() == 1 ? fmt::format("{}", data->at(0))
                                             : describe(v) + ": " + m_graph.type(v).text();
               });
}

bool Matcher::constrained(const PatternTree& p, ValueRef v) {
    for (const PatternConstraint& wanted : p.constraints)
        switch (wanted.kind) {
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

bool Matcher::sameTypes(const PatternTree& p, ValueRef v) {
    for (const PatternConstraint& wanted : p.constraints) {
        if (wanted.kind != PatternConstraint::Kind::Same || wanted.name == "^")
            continue;
        const auto known = m_bindings.values.find(wanted.name);
        const bool bound = known != m_bindings.values.end();
        if (!sameType(p, wanted.name, bound ? std::optional(known->second) : std::nullopt, v))
            return false;
    }
    return true;
}

bool Matcher::sameType(const PatternTree& p, const std::string& name, std::optional<ValueRef> other,
                       ValueRef v) {
    for (const ValueRef value : {other.value_or(ValueRef()), v})
        if (const auto missing = missingType(m_graph, value))
            return refuse(
                Missed::SameType, p, [&] { return "a value of the type of " + writtenName(name); },
                [&] { return missing->why; });
    if (!other || !other->valid() || !v.valid())
        return refuse(
            Missed::SameType, p, [&] { return "a value of the type of " + writtenName(name); },
            [] { return "nothing to compare with"; });
    const TensorType &type = m_graph.type(*other), &found = m_graph.type(v);
    return type == found ||
           refuse(
               Missed::SameType, p, [&] { return type.text(); }, [&] { return found.text(); });
}

bool Matcher::type(const PatternTree& p, const PatternConstraint& wanted, ValueRef v) {
    if (!v.valid())
        return noValue(p);
    if (const auto missing = missingType(m_graph, v))
        if (wanted.hasShape || (missing->element && wanted.name != "any"))
            return refuse(
                Missed::Type, p, [&] { return wanted.text; }, [&] { return missing->why; });
    const TensorType& found = m_graph.type(v);
    const auto other = [&] {
        return refuse(
            Missed::Type, p, [&] { return wanted.text; }, [&] { return found.text(); });
    };
    if (const auto dtype = parseDtype(wanted.name)) {
        if (*dtype != found.dtype)
            return other();
    } else if (wanted.name != "any" && !bindTerm(p, wanted.name, found.dtype)) {
        return false;
    }
    if (!wanted.hasShape)
        return true;
    const auto pack = std::find_if(wanted.dims.begin(), wanted.dims.end(),
                                   [](const Tree& dim) { return dim.kind == TreeKind::Pack; });
    const std::size_t count = wanted.dims.size(), rank = found.shape.size();
    const bool open = pack != wanted.dims.end();
    if (open ? rank + 1 < count : rank != count)
        return other();
    std::size_t axis = 0;
    for (const Tree& dim : wanted.dims) {
        if (dim.kind != TreeKind::Pack) {
            const auto known = evaluate(dim, {});
            if (known && equalTerms(*known, found.shape[axis]) != Truth::Yes)
                return other();
            if (!known && !term(p, dim, found.shape[axis], wanted.text))
                return false;
            ++axis;
            continue;
        }
        const std::size_t packed = rank + 1 - count;
        const auto begin = found.shape.begin() + static_cast<std::ptrdiff_t>(axis);
        if (!dim.args.empty() &&
            !bindTerm(p, dim.args[0].text,
                      Exprs(begin, begin + static_cast<std::ptrdiff_t>(packed))))
            return false;
        axis += packed;
    }
    return true;
}

bool Matcher::bindTerm(const PatternTree& p, const std::string& name, const TermValue& found) {
    const auto again = [&](const TermValue& before) {
        return equalTerms(before, found) == Truth::Yes ||
               refuse(
                   Missed::Type, p,
                   [&] { return fmt::format("{} = {} again", name, textOf(before)); },
                   [&] { return textOf(found); });
    };
    if (const auto attr = m_bindings.attrValues.find(name); attr != m_bindings.attrValues.end())
        if (const auto value = valueOf(attr->second); !value || !again(*value))
            return false;
    const auto [known, isNew] = m_bindings.terms.emplace(name, found);
    return isNew || again(known->second);
}

bool Matcher::term(const PatternTree& p, const Tree& written, const TermValue& found,
                   const std::string& clause) {
    if (written.isName("any"))
        return true;
    if (isFreeName(written))
        return bindTerm(p, written.text, found);
    const Scope scope = scopeOf(m_graph, m_bindings);
    if (isOpen(written, scope)) {
        m_pending.push_back({nullptr, &written, found, &p, clause});
        return true;
    }
    const auto value = evaluate(written, scope);
    return (value && equalTerms(*value, found) == Truth::Yes) ||
           refuse(
               Missed::Type, p,
               [&] { return value ? fmt::format("{}: {}", clause, textOf(*value)) : clause; },
               [&] { return textOf(found); });
}

// Of a declared pattern: one of its conditions.
bool Matcher::holds(const Pending& one) {
    Scope scope = scopeOf(m_graph, m_bindings);
    scope.offer = m_options.offer;
    TargetOffer wanted;
    if (m_options.offer == nullptr) {
        addWanted(one.condition->tree, wanted);
        scope.offer = &wanted;
    }
    const ConditionResult result = decide(*one.condition, scope);
    return result.truth == Truth::Yes ||
           refuse(
               Missed::Type, *one.at, [&] { return one.condition->text; },
               [&] { return result.evidence; });
}

bool Matcher::pendingHold() {
    if (m_pending.empty())
        return true;
    const Scope scope = scopeOf(m_graph, m_bindings);
    for (const Pending& one : m_pending) {
        if (one.condition != nullptr) {
            if (!holds(one))
                return false;
            continue;
        }
        if (isOpen(*one.term, scope))
            continue; // of a part that is absent: it does not speak of this match
        const auto value = evaluate(*one.term, scope);
        if (!value || equalTerms(*value, one.found) != Truth::Yes)
            return refuse(
                Missed::Type, *one.at,
                [&] {
                    return value ? fmt::format("{}: {}", one.clause, textOf(*value)) : one.clause;
                },
                [&] { return textOf(one.found); });
    }
    return true;
}

} // namespace fw
