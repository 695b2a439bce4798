// What a verdict leaves out.
#pragma once

#include "tensor/bounded_values.h"

#include <optional>
#include <string_view>

namespace fw {

// Values at which two sides may differ although they are equal as numbers.
enum class ButFor : std::uint8_t {
    NaN,        // an operand holds it, or what both sides compute alike
    Infinities, // an operand holds one, or what both sides compute alike
    Overflow,   // a result lies beyond f32 or f64
    Underflow,  // a result is too small for f32 or f64
    Wrapping,   // an integer lies beyond its type
    Rounding    // not a difference that was seen: what rounding may do is none
};
std::string_view butForText(ButFor what); // "NaN", "overflow", ...

// Values of a graph, and the same with numbers in place of those that are none.
struct Replaced {
    explicit Replaced(const Values& data);
    TensorData own, other;
    std::optional<ButFor> why; // which they are; all are numbers: nothing
};

} // namespace fw
