// What is left of a guard that asks something of free dimensions.
#pragma once

#include "strategy/selection.h"

namespace fw {

// Of the sizes that the graph allows the condition is met by none (Candidate::neverHolds), by some
// (Candidate::when) or by all. `evidence`: of the guard; what is known of the sizes is added where
// none meet it.
void reach(Candidate& candidate, const Expr& condition, const Graph& graph, std::string& evidence);

// Candidate::wins of each that is the fastest at some of the sizes: from one that was measured to
// the next, or else at that one alone. What would be chosen there without the log stays unless
// another is faster by Measurements::margin; a size where it has no time decides nothing. `plain`:
// what is chosen where no guard decides. False: no size decides.
bool readTimesBySize(Candidates& candidates, std::size_t plain, const TimesBySize& known);

} // namespace fw
