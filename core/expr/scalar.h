// What integer types do to values that do not fit them: shared by everything that evaluates.
#pragma once

#include "expr/dtype.h"

#include <cstdint>

namespace fw {

// The value that a store to an integer type keeps: its low bits; of Bool 0 or 1. Others as they
// are.
std::int64_t wrapTo(DType dtype, std::int64_t value);

// A conversion from floating point to an integer type: towards zero, the nearest limit beyond the
// range, 0 for a NaN. (Values of U64 are kept in 63 bits.)
std::int64_t saturateTo(DType dtype, double value);

} // namespace fw
