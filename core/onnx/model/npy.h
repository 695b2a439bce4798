// The .npy format of NumPy, versions 1 to 3: numbers in C order and little-endian only. Never
// pickles.
#pragma once

#include "ir/tensor_data.h"

#include <string>
#include <string_view>

namespace fw {

Result<TensorData> parseNpy(std::string_view bytes);  // OnnxMalformed with what is wrong
bool npyHolds(DType dtype);                           // not bf16, which NumPy has not, and no text
Result<std::string> npyBytes(const TensorData& data); // DtypeMismatch of what it does not hold

} // namespace fw
