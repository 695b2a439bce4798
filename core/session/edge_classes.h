// What the edges of a graph carry besides data, from what is known of its operators.
#pragma once

#include "ir/graph.h"
#include "snapshot/records.h"

#include <vector>

namespace fw {

struct ClassedEdge {
    NodeId node = -1;        // that reads the value
    std::size_t operand = 0; // of all of its inputs
    snapshot::EdgeClass carries;
};

// Sizes: integers that in the end only become free dimensions (Operator::bindsDims). Residual: an
// operand of a sum that the other operand is computed from. In the order of the nodes.
std::vector<ClassedEdge> classedEdges(const Graph& graph);

} // namespace fw
