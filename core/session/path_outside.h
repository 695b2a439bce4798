// The way on which a value leaves what would be one group.
#pragma once

#include "fusion/plan.h"

namespace fw {

// From a node of the group of `from` over nodes outside to `to`, where there is such a way (one
// group would depend on itself); otherwise to the first reader outside that is not `to`. The
// shortest one, ties by order in the graph; with both ends. Empty: nothing leaves, or both are in
// one group. Takes the time of the graph.
std::vector<NodeId> pathOutside(const Graph& graph, const FusionPlan& plan, NodeId from, NodeId to);

} // namespace fw
