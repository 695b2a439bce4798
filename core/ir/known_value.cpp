#include "ir/known_value.h"

#include <algorithm>

namespace fw {

bool SmallTensor::isFixed() const {
    return std::all_of(elements.begin(), elements.end(),
                       [](const Expr& e) { return e.asInt().has_value(); });
}

bool isSmallInteger(const TensorData& data) {
    return (isInteger(data.dtype()) || data.dtype() == DType::Bool) &&
           data.count() <= smallTensorLimit;
}

std::optional<SmallTensor> integersIn(const TensorData& data) {
    if (!isSmallInteger(data))
        return std::nullopt;
    SmallTensor out{data.dtype(), data.extents(), {}};
    for (const std::int64_t value : data.toIntegers())
        out.elements.push_back(intExpr(value));
    return out;
}

TensorData fixedData(const SmallTensor& tensor) {
    std::vector<std::int64_t> values;
    for (const Expr& element : tensor.elements)
        values.push_back(element.asInt().value_or(0));
    return dataFromIntegers(tensor.dtype, tensor.extents, values);
}

KnownValue knownValue(SmallTensor tensor) {
    if (tensor.isFixed())
        return fixedData(tensor);
    return tensor;
}

const TensorData* numbersIn(const KnownValue* value) {
    return value == nullptr ? nullptr : std::get_if<TensorData>(value);
}

std::optional<SmallTensor> integersIn(const KnownValue& value) {
    if (const auto* sizes = std::get_if<SmallTensor>(&value))
        return *sizes;
    return integersIn(std::get<TensorData>(value));
}

std::optional<std::vector<KnownValue>> resultsOf(const Operator& op, const OpCall& call,
                                                 const std::vector<const KnownValue*>& operands) {
    std::vector<const TensorData*> numbers;
    bool areNumbers = true;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        numbers.push_back(numbersIn(operands[i]));
        areNumbers = areNumbers && (numbers.back() != nullptr || !call.inputs[i]);
    }
    std::vector<KnownValue> out;
    if (areNumbers) {
        auto results = op.reference(call, numbers);
        if (!results)
            return std::nullopt;
        for (TensorData& result : results.take())
            out.emplace_back(std::move(result));
        return out;
    }
    const Result<OpInst> inst = op.instantiate(call);
    if (!inst)
        return std::nullopt;
    std::vector<const KnownValue*> present;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (call.inputs[i])
            present.push_back(operands[i]);
    auto sizes = sizesOf(*inst, present);
    if (!sizes)
        return std::nullopt;
    for (SmallTensor& result : *sizes)
        out.push_back(knownValue(std::move(result)));
    return out;
}

} // namespace fw
