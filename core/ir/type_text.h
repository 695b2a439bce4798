// One type as people write it on a command line or into a field.
#pragma once

#include "ir/tensor_type.h"

#include <functional>
#include <string>
#include <string_view>

namespace fw {

// "f32[N, 4]"; `named` says what the name of a dimension stands for. Refused: what is no type, and
// text as element type, which nothing computes with.
Result<TensorType> typeFromText(std::string_view text,
                                const std::function<Dim(const std::string&)>& named);

} // namespace fw
