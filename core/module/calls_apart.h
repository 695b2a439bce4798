// Groups that hold more than the call of their library takes (`pin together ... with
// openblas.sgemm`): for the machine the call is one stage, and what stands before and behind it are
// kernels of their own, with values between them in memory of the arena.
//
// The plan that the user sees keeps one group; this one has its stages as groups that follow each
// other, so that schedules, memory and steps need not know about it.
#pragma once

#include "fusion/plan.h"

namespace fw {

struct PlanOfStages {
    FusionPlan plan;
    std::map<int, int> whole; // every group of `plan` -> the group of the user's plan
};

// Whether a library's call is a stage of the group, not the whole of it.
bool isStageCall(const Group& group);
bool hasStageCalls(const FusionPlan& plan);

// Stages are named after their group: NAME_before, NAME (the call), NAME_after.
PlanOfStages callsApart(const Graph& graph, const FusionPlan& plan);

} // namespace fw
