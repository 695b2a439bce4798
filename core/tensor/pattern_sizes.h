// How many dimensions of an operand each item of its pattern takes: `x: T[N, D..., C@axis]`.
#pragma once

#include "tensor/dim_names.h"

namespace fw {

// One number per item of the pattern of `param`, which take all of the operand. ShapeMismatch where
// it does not fit; TextType where the pattern leaves open where a pack ends.
Result<std::vector<std::size_t>> patternSizes(const ParamTree& param, const std::string& operand,
                                              const TensorType& type, const Names& names,
                                              TreeEvaluator& shapes, const std::string& file);

} // namespace fw
