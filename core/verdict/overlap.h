// Patterns of graphs at which two rules want some of the same operators: the second one's pattern
// laid over every call of the first one's (critical pairs: D. E. Knuth and P. B. Bendix, "Simple
// word problems in universal algebras", 1970). Only patterns of calls, values, optional and
// alternative parts are laid over one another; whether a graph that is drawn from the result fits
// both rules is for the matcher to say.
#pragma once

#include "syntax/pattern.h"

#include <vector>

namespace fw {

// `outer`, `inner`: with what declared patterns stand for. Names of the inner one get a mark, so
// that they stand for values of their own.
std::vector<PatternTree> overlaps(const PatternTree& outer, const PatternTree& inner);

} // namespace fw
