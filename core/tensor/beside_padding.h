// Inputs whose elements are multiplied by what a window reads beyond its operand. Padding is a zero
// there, which own code and libraries do not multiply by and the reference does: of a NaN or an
// infinity nothing is promised (resources/docs/accuracy.md).
#pragma once

#include "ir/graph.h"

#include <set>

namespace fw {

// Of the graph, as far as its operators say what they compute; through all that leads there.
std::set<NodeId> inputsBesidePadding(const Graph& graph);

} // namespace fw
