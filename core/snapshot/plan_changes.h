// What changed from one plan to the next: for the change list of the window and for `fw diff`.
//
// Two plans are compared by their nodes, which are matched by name where a name is unique and by id
// otherwise, so plans of one model under two targets or two books compare. Groups that share nodes
// form one change: they merged, were split, were regrouped, or only their implementation differs.
// The same two plans always give the same list, in the order of the later plan.
#pragma once

#include "snapshot/records.h"

namespace fw::snapshot {

// Of what a plan is as far as times go: equal if it has the same groups under the same numbers, by
// the same implementations, for the same target. Where the model and the books stand says nothing
// of that.
std::string planKey(const FuseDocument& plan);

enum class Unchanged : std::uint8_t { Leave, List };
DiffDocument comparePlans(const FuseDocument& before, const FuseDocument& after,
                          Unchanged unchanged = Unchanged::Leave);

// What `fw diff` says of two sides, each made by a worker of its own where their targets ask for
// it.
DiffDocument compareSides(const DiffSideDocument& before, const DiffSideDocument& after);

} // namespace fw::snapshot
