// Entries whose guards speak of free dimensions: which of them compute a node at some sizes, and in
// which order they are asked.
#pragma once

#include "strategy/selection.h"

namespace fw {

// Of the sizes that the graph allows the condition is met by none (Candidate::neverHolds), by some
// (Candidate::when) or by all. `evidence`: of the guard; what is known of the sizes is added where
// none meet it.
void decideBySizes(Candidate& candidate, const Expr& condition, const Graph& graph,
                   std::string& evidence);

// Candidate::wins of each that is the fastest at some of the sizes: from one that was measured to
// the next, or else at that one alone. What would be chosen there without the log stays unless
// another is faster by Measurements::margin; a size where it has no time decides nothing. `plain`:
// what is chosen where no guard decides. False: no size decides.
bool readTimesBySize(Candidates& candidates, std::size_t plain, const TimesBySize& known);

// Makes of the candidates with open guards, and of those that the log says are the fastest at some
// sizes, branches before Selection::plain: of those in front of it each that may be reached at some
// sizes, `first` (a pin's) before the others; at sizes that were measured the log decides. Where
// the last one leaves no sizes, it takes the place of the plain one.
void chooseBranches(Selection& selection, const std::string& first, const Graph& graph);
// Without the branch of this name, which cannot compute a group.
void leaveOutBranch(Selection& selection, const std::string& name, const std::string& why,
                    const Workload& anchor);

} // namespace fw
