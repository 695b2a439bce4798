// Makes a failing case smaller while it still fails: fewer results and operators, smaller extents,
// no attributes that do not matter.
#pragma once

#include "fuzz/case.h"

#include <functional>

namespace fw::fuzz {

// Whether a candidate, with its operands and results computed, still fails as the first one did.
using StillFails = std::function<bool(const Case&)>;

// Asks at most `most` times.
Case minimise(Case failing, const StillFails& fails, int most = 400);

} // namespace fw::fuzz
