// Which results of a model do not depend on what nothing computes.
#pragma once

#include "ir/graph.h"

namespace fw {

// The import knows why it could not read a node; the graph only knows that it was not read.
Diag closerReason(const Diag& obstacle, const Diags& imported);

bool hasComputable(const Graph& graph); // one of them at least

// The graph with these results and all its inputs.
struct ComputablePart {
    GraphPtr graph;
    Diags leftOut; // warnings: for each of the others, the node that is the cause
};
// `imported` is what was told of the model when it was read.
Result<ComputablePart> computablePart(const Graph& graph, const Diags& imported);

} // namespace fw
