// Where a pattern can begin to match, so that only these nodes are tried.
#pragma once

#include "pattern/match.h"

namespace fw {

// Adds the operators that a match can have at its root. False: any operator.
bool rootOperators(const PatternTree& pattern, const PatternTable& table,
                   std::set<std::string>& names, int depth = 0);

} // namespace fw
