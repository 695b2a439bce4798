// The elements of operands and constants, seeded. They are made here, not by core/ir, whose
// conversions they must not share.
#pragma once

#include "ir/tensor_data.h"

#include <optional>
#include <string>

namespace fw::fuzz {

// Of a case. In each of the last two a tensor is tame, or has halves (ties of a rounding), equal
// values, many zeros of either sign, thousands or the limits of its type, as its seed says.
enum class Values : std::uint8_t {
    Random,   // floats in [-1, 1), small integers
    Integers, // small integers as any type: sums of products are exact
    Edges,    // also zeros of either sign, subnormal numbers, the least and the largest
    Infinite, // also infinities and NaN
};

inline bool isWild(Values values) {
    return values == Values::Edges || values == Values::Infinite;
}

std::string valuesText(Values values); // "random"
std::optional<Values> parseValues(const std::string& text);

TensorData drawn(Values values, DType dtype, std::vector<std::int64_t> extents, std::uint64_t seed);

} // namespace fw::fuzz
