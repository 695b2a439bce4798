// The code of every group: kernels as soon as the plan stands, so that it names what will run;
// calls of libraries, which pack weights, when they are compiled.
#pragma once

#include "fusion/group.h"
#include "fusion/plan_options.h"

namespace fw {

// Lowers every kernel, so that the plan names what will run.
Status lowerGroups(const Graph& graph, const Target& target, const PlanOptions& options,
                   FusionPlan& plan);

// The group as its implementation sees it.
GroupSite siteOf(const Graph& graph, const FusionPlan& plan, const Group& group);

// The code of the group by its implementation. While one refuses, which is noted, the next
// candidate is asked, and the group is its; without another it is left to the host.
Status lowerGroup(const Graph& graph, const FusionPlan& plan, const Target& target,
                  LoweringMemo& memo, Group& group, Decisions& notices);

} // namespace fw
