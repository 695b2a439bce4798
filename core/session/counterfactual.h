// What would be decided if something were otherwise: the plan is made again with one thing changed.
#pragma once

#include "fusion/plan.h"
#include "snapshot/records.h"

namespace fw {

// One record per way to switch the libraries that the catalog can use, other than that of the
// target: none of them, each alone, all. The verdict is about one or two nodes: are they in one
// group ("yes", "no"; of a single node "same" or "other": its group and implementation), and the
// groups they are in.
Result<std::vector<snapshot::CounterfactualRecord>>
libraryCounterfactuals(const Graph& graph, const Target& target, const PlanOptions& options,
                       const FusionPlan& plan, const std::vector<NodeId>& nodes);

} // namespace fw
