// Numbers and element types of graphs, at which what they compute may change: constants, what the
// expressions of their operators hold, the types that values have on their way.
#pragma once

#include "ir/graph.h"
#include "tensor/draw_values.h"

namespace fw {

// Beside those of the rule. Numbers that are drawn anyway are left out.
Literals literalsWith(const Literals& ofRule, const Graph& before, const Graph& after);

// Whether the second one computes with real numbers that the first one has not, constants,
// attributes and those of its operators: they may be rounded.
bool bringsNumbers(const Graph& before, const Graph& after);

// Whether a real attribute of the second one is infinite, no number or 0, as a product of numbers
// of the first one may be that lie near the ends of f64.
bool bringsEnds(const Graph& before, const Graph& after);

} // namespace fw
