// Priorities come before estimates: what that costs.
#pragma once

#include "strategy/selection.h"

namespace fw {

// The candidate that could compute it at every size with the least estimate, if that is less than
// the chosen one's by more than estimates and times are apart by chance (Measurements::margin);
// null: there is none.
const Candidate* cheaperReady(const Candidates& candidates, const Candidate& chosen);

} // namespace fw
