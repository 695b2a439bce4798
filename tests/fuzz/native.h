// Operators of single elements by the arithmetic of the compiler that builds this file: what the
// reference says of integers, conversions and the simple operations of floats is held against it.
#pragma once

#include "ir/attributes.h"
#include "ir/tensor_data.h"

#include <optional>
#include <string>

namespace fw::fuzz {

// The result, which is of this type and broadcast as NumPy does; nullopt for any other operator.
std::optional<TensorData> natively(const std::string& op,
                                   const std::vector<const TensorData*>& operands,
                                   const TensorType& result);

// The same of sums of products of eight bits, less their zero points, which wrap at 32 bits.
std::optional<TensorData> sumsNatively(const std::string& op,
                                       const std::vector<const TensorData*>& operands,
                                       const Attrs& attrs, const TensorType& result);

} // namespace fw::fuzz
