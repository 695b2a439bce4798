// The .npy format of NumPy, versions 1 to 3: numbers in C order and little-endian only. Never
// pickles.
#pragma once

#include "ir/tensor_data.h"

#include <string>
#include <string_view>

namespace fw {

Result<TensorData> parseNpy(std::string_view bytes);  // OnnxMalformed with what is wrong
Result<std::string> npyBytes(const TensorData& data); // bf16 has no NumPy type: refused

} // namespace fw
