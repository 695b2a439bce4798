// What ONNX says of the types of nodes that are understood and not computed: of random numbers, and
// of what only training computes. With them all that reads such a node has its type.
#pragma once

#include "ir/tensor_type.h"
#include "onnx/model/proto.h"

#include <functional>
#include <optional>
#include <string>

namespace fw {

// Whether the operator draws its results: those have a seed.
bool isRandom(const proto::NodeProto& node, std::int64_t opset);

// The type of an output, if the specification gives it; `operand` gives the types of operands,
// nothing of one that is absent or of which nothing is known.
std::optional<TensorType> statedType(const proto::NodeProto& node, int output, std::int64_t opset,
                                     const std::function<std::optional<TensorType>(int)>& operand);

} // namespace fw
