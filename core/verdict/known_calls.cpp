#include "verdict/known_calls.h"

namespace fw {

namespace {

// Element types of its operands, and those that attributes name.
std::string typesOf(const OpCall& call) {
    std::string out;
    for (const auto& type : call.inputs)
        out.push_back(type ? static_cast<char>('A' + static_cast<int>(type->dtype)) : '-');
    for (const auto& [name, value] : call.attrs)
        if (const auto* dtype = std::get_if<DType>(&value)) {
            out.push_back(static_cast<char>('A' + static_cast<int>(*dtype)));
            out += name;
        }
    return out;
}

} // namespace

std::optional<std::int64_t> elementsOf(const Shape& shape) {
    std::int64_t out = 1;
    for (const Dim& dim : shape) {
        const std::int64_t extent = dim.asInt().value_or(-1);
        if (extent < 0 || (extent > 0 && out > mostElements / extent))
            return std::nullopt;
        out *= extent;
    }
    return out;
}

bool RefusedTypes::contains(const Operator& op, const OpCall& call) const {
    const auto known = m_known.find(&op);
    return known != m_known.end() && known->second.contains(typesOf(call));
}

void RefusedTypes::note(const Operator& op, const OpCall& call, const Diag& refusal) {
    if (refusal.code == DiagCode::DtypeMismatch && !op.isNative())
        m_known[&op].insert(typesOf(call));
}

// nullopt: it is no call over one shape, or has none.
std::optional<double> MapWork::elements(const Operator& op, const OpCall& call,
                                        const Inferred& inferred) {
    if (inferred.outputs.empty() || op.isNative() || !op.attrNames().empty())
        return std::nullopt;
    const Shape& shape = inferred.outputs.front().shape;
    for (const auto& type : call.inputs)
        if (!type || type->shape != shape)
            return std::nullopt;
    for (const TensorType& type : inferred.outputs)
        if (type.shape != shape)
            return std::nullopt;
    const auto count = elementsOf(shape);
    return count && *count > 0 ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

std::optional<double> MapWork::of(const Operator& op, const OpCall& call,
                                  const Inferred& inferred) const {
    const auto known = m_ofOne.find(&op);
    if (known == m_ofOne.end())
        return std::nullopt;
    const auto one = known->second.find(typesOf(call));
    const auto count = elements(op, call, inferred);
    return one == known->second.end() || !count ? std::nullopt
                                                : std::optional(one->second * *count);
}

void MapWork::note(const Operator& op, const OpCall& call, const Inferred& inferred,
                   const Facts& facts) {
    if (facts.kind != FusionKind::Elementwise)
        return;
    if (const auto count = elements(op, call, inferred))
        m_ofOne[&op].emplace(typesOf(call), facts.flops / *count);
}

} // namespace fw
