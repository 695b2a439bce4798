// Numbers as operands of calls: mul(x, 0.5). They are constants without axes, whose element type
// the operands beside them have.
#pragma once

#include "ir/operator.h"
#include "ir/tensor_data.h"

namespace fw {

// The element type of a number in place of operand `at`: what the signature says, or what it says
// is the same as that of another operand. nullopt in `operands`: a number, or not known. Refused
// where nothing says it, or where the operand has axes.
Result<DType> typeOfNumber(const Operator& op, const std::vector<std::optional<DType>>& operands,
                           std::size_t at);
// Whether that can be told for some types of the operands that are no numbers.
Status takesNumber(const Operator& op, const std::vector<bool>& isNumber, std::size_t at);

using Number = std::variant<std::int64_t, double>;

// One element. Integers hold whole numbers in their range, floats what does not become infinite, as
// they round it.
Result<TensorData> numberData(DType dtype, const Number& number);
// Whether every element is the number, as its type holds it; NaN is NaN. Of f64 also what
// f32 rounds it to, unless that is 0 or infinite. A tensor without elements is none.
bool isNumber(const TensorData& data, const Number& number);

} // namespace fw
