// What of a tuning log says nothing of a plan.
#pragma once

#include "fusion/plan.h"
#include "session/tuning_log.h"

namespace fw {

// How many records are of another machine, target or number of threads, and which of the model's
// own are of implementations, or values of their knobs, that are not there: notices, subject
// `file`.
Decisions staleRecords(const TuningLog& log, const std::string& file, const Graph& graph,
                       const FusionPlan& plan, const Target& target);

} // namespace fw
