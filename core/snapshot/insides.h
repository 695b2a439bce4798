// Graphs inside the nodes of a graph whose record has them.
#pragma once

#include "snapshot/provenance.h"
#include "snapshot/records.h"

#include <unordered_set>
#include <vector>

namespace fw::snapshot {

// Of all depths.
std::unordered_set<NodeId> nodesInside(const GraphDocument& graph);

// The bodies around a node, the outermost first; empty: it lies in none.
std::vector<const InsideRecord*> bodiesAround(const GraphDocument& graph, NodeId node);

// The path of the block that a body is.
std::string blockPathOf(const InsideRecord& body);

// The graph as it is without them.
GraphDocument withoutInsides(GraphDocument graph);

} // namespace fw::snapshot
