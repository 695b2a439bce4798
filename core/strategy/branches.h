// What is left of a guard that asks something of free dimensions.
#pragma once

#include "strategy/selection.h"

namespace fw {

// Of the sizes that the graph allows the condition is met by none (Candidate::neverHolds), by some
// (Candidate::when) or by all. `evidence`: of the guard; what is known of the sizes is added where
// none meet it.
void reach(Candidate& candidate, const Expr& condition, const Graph& graph, std::string& evidence);

} // namespace fw
