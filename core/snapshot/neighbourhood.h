// What is connected with some nodes of a graph: all that feeds them and that they feed, or what
// lies within a few steps. Constants are left out. Takes the time of the graph.
#pragma once

#include "snapshot/provenance.h"
#include "snapshot/records.h"

namespace fw::snapshot {

// Up and down stream, with the nodes themselves: what their values depend on, and what depends on
// these.
NodeSet streamOf(const GraphDocument& graph, const NodeSet& nodes);

// On the ways from one of two nodes to the other, with both; empty: there is none.
NodeSet waysBetween(const GraphDocument& graph, NodeId one, NodeId other);

// Within so many edges, in both directions, with the nodes themselves. Inside other nodes only if
// one of them lies there.
NodeSet nodesAround(const GraphDocument& graph, const NodeSet& nodes, int steps);

} // namespace fw::snapshot
