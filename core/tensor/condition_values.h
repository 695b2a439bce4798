// Values of single names for which conditions may hold, for those who look for calls that they let
// through: `KH == 3 && M > 16 && M % 8 == 0` gives 3 for KH, 24 and 32 for M.
#pragma once

#include "condition/condition.h"

namespace fw {

using AskedValues = std::map<std::string, std::vector<TermValue>>;

// From comparisons of a name, or of its rest by a number, with what has a value without names;
// joined by &&, or one side of ||.
AskedValues askedValues(const std::vector<const Tree*>& conditions);

} // namespace fw
