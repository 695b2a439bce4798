#include "ir/call_types.h"

namespace fw {

namespace {

DType typeOfNumbers(const CallSequence::Call& one, const OpCall& whole,
                    const std::vector<KnownTypes>& made) {
    for (const CallSequence::Operand& operand : one.operands)
        if (!std::holds_alternative<double>(operand))
            if (const auto type = typeOf(operand, whole, made, DType::F32))
                return type->dtype;
    return DType::F32;
}

} // namespace

std::optional<TensorType> typeOf(const CallSequence::Operand& operand, const OpCall& whole,
                                 const std::vector<KnownTypes>& made, DType ofNumbers) {
    if (const auto* of = std::get_if<std::size_t>(&operand))
        return whole.inputs.at(*of);
    if (const auto* list = std::get_if<Integers>(&operand))
        return TensorType{DType::I64, {Dim(static_cast<std::int64_t>(list->size()))}};
    if (std::holds_alternative<double>(operand))
        return TensorType{ofNumbers, {}};
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
    const DType ofNumbers = typeOfNumbers(one, whole, made);
    OpCall out;
    for (const CallSequence::Operand& operand : one.operands)
        out.inputs.push_back(typeOf(operand, whole, made, ofNumbers));
    for (const CallSequence::Attribute& attribute : one.attributes)
        if (const auto* value = std::get_if<AttrValue>(&attribute.value))
            out.attrs.set(attribute.name, asAttribute(called, attribute.name, *value));
    return out;
}

} // namespace fw
