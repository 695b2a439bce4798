#include "ir/call_types.h"

#include "ir/number_operands.h"

#include <algorithm>

namespace fw {

DType numberTypeIn(const Operator& called, const std::vector<std::optional<DType>>& types,
                   std::size_t at) {
    if (const Result<DType> said = typeOfNumber(called, types, at))
        return *said;
    const auto first =
        std::find_if(types.begin(), types.end(), [](const auto& type) { return type.has_value(); });
    return first == types.end() ? DType::F32 : **first;
}

std::optional<TensorType> typeOf(const CallSequence::Operand& operand, const OpCall& whole,
                                 const std::vector<KnownTypes>& made) {
    if (const auto* of = std::get_if<std::size_t>(&operand))
        return whole.inputs.at(*of);
    if (const auto* list = std::get_if<Integers>(&operand))
        return TensorType{DType::I64, {Dim(static_cast<std::int64_t>(list->size()))}};
    if (std::holds_alternative<double>(operand))
        return TensorType{DType::F32, {}};
    const auto* result = std::get_if<CallSequence::Result>(&operand);
    if (result == nullptr || result->output >= made.at(result->call).size())
        return std::nullopt;
    return made[result->call][result->output];
}

AttrValue asAttribute(const Operator& called, const std::string& name, AttrValue value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr && called.attrType(name) == AttrType::Float
               ? AttrValue(static_cast<double>(*whole))
               : value;
}

OpCall typedCall(const CallSequence::Call& one, const Operator& called, const OpCall& whole,
                 const std::vector<KnownTypes>& made) {
    OpCall out;
    std::vector<std::optional<DType>> types;
    for (const CallSequence::Operand& operand : one.operands) {
        out.inputs.push_back(typeOf(operand, whole, made));
        const bool isKnown = out.inputs.back() && !std::holds_alternative<double>(operand);
        types.push_back(isKnown ? std::optional(out.inputs.back()->dtype) : std::nullopt);
    }
    for (std::size_t i = 0; i < one.operands.size(); ++i)
        if (std::holds_alternative<double>(one.operands[i]))
            out.inputs[i] = TensorType{numberTypeIn(called, types, i), {}};
    for (const CallSequence::Attribute& attribute : one.attributes)
        if (const auto* value = std::get_if<AttrValue>(&attribute.value))
            out.attrs.set(attribute.name, asAttribute(called, attribute.name, *value));
    return out;
}

} // namespace fw
