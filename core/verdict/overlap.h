// Patterns of graphs at which two rules want some of the same operators: the second one's pattern
// laid over every call of the first one's (critical pairs: D. E. Knuth and P. B. Bendix, "Simple
// word problems in universal algebras", 1970). Only patterns of calls, values, optional and
// alternative parts are laid over one another; whether a graph that is drawn from the result fits
// both rules is for the matcher to say.
#pragma once

#include "syntax/pattern.h"

#include <vector>

namespace fw {

// A pattern, with what declared ones stand for, in the forms that are laid over others. Names of
// the inner ones have a mark, so that they stand for values of their own.
struct OverlapForms {
    std::vector<PatternTree> outer, inner;
};
OverlapForms overlapForms(const PatternTree& pattern);

// The inner forms of one over the outer ones of the other; none that asks for an attribute or a
// type of two values at once.
std::vector<PatternTree> overlaps(const OverlapForms& outer, const OverlapForms& inner);

} // namespace fw
