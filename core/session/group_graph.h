// Groups of a plan as a graph of their own, to be computed apart from the rest.
#pragma once

#include "fusion/plan.h"
#include "ir/subgraph.h"

namespace fw {

// What groups read and write as a graph of its own; values that pass between them are inner ones,
// unless somebody else reads them.
Result<GraphPtr> graphOf(const Graph& graph, const std::vector<const Group*>& groups);
// PlanOptions::border of such a part: its inputs and results lie as the plan of `graph` has them,
// so that a group that is measured apart meets the memory that it meets in the model.
std::map<ValueRef, StorageMap> borderOf(const Graph& graph, const FusionPlan& plan,
                                        const Graph& part);

} // namespace fw
