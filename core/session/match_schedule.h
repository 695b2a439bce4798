// What a schedule of a book does in a plan, as what it matches: the groups that it computes, and as
// near misses those that it was asked for and refused, each at the step that is to blame.
#pragma once

#include "fusion/plan.h"
#include "snapshot/book_records.h"
#include "syntax/places.h"
#include "syntax/schedule.h"

namespace fw {

// `takesPart`: its book is among those of the plan.
snapshot::RuleMatches scheduleInPlan(const ScheduleTree& schedule, const std::string& file,
                                     const TextPlaces& places, const Graph& graph,
                                     const FusionPlan& plan, const Target& target, bool takesPart);

} // namespace fw
