// A graph becomes groups with implementations, layouts and code.
#pragma once

#include "fusion/group.h"
#include "fusion/plan_options.h"
#include "rewrite/apply.h"

namespace fw {

// An operator that is not known is an opaque group, and everything around it is planned; a known
// one that no code can be made for is left to its reference. Cancelled if that was asked for
// meanwhile.
Result<FusionPlan> planFusion(const Graph& graph, const Target& target,
                              const PlanOptions& options = {});

// Of a fusion rule or a composite, why a match can be no group of the graph, whatever computes it
// and whatever other groups there are; nothing of other declarations. Valid as long as the graph;
// of one thread.
RefuseMatch refusalOfGroups(const DeclarationTree& declaration, const Graph& graph);

} // namespace fw
