// The value of an input that a user writes in place of a file: 16000, -0.5, inf, true, [1, 2],
// [[1, 2], [3, 4]]. In ImportOptions::types it stands behind a "=" in place of the input's type;
// the input is then a constant of the model.
#pragma once

#include "ir/tensor_data.h"
#include "ir/tensor_type.h"

#include <optional>
#include <string>
#include <string_view>

namespace fw {

bool isValueText(std::string_view text);
std::optional<std::string> whyNoValue(std::string_view text); // "a bracket is not closed"
std::string asGivenValue(std::string_view text);              // "= 16000"
// The value in an entry of ImportOptions::types; nullopt: it is a type.
std::optional<std::string_view> givenValue(std::string_view entry);

// One number stands for every element of a declared shape; a list has the shape of its brackets.
// InputMismatch where it does not fit the element type or the shape.
Result<TensorData> valueFromText(std::string_view text, DType dtype,
                                 const std::optional<Shape>& declared);

} // namespace fw
