// Moving the elements of constants while importing and writing.
#pragma once

#include "ir/tensor_data.h"

namespace fw {

Result<TensorData> transposedConstant(const TensorData& data); // rank 2

} // namespace fw
