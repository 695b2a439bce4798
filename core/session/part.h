// A part of a graph as a graph of its own, to be computed apart from the rest.
#pragma once

#include "ir/graph.h"

namespace fw {

// What `results` need, back to `inputs`, which become the inputs of the part in their order.
// Constants come along; an input of the graph that is needed and not among `inputs` becomes one,
// too. Names stay those of the graph, and nodes stand for the same origins.
Result<GraphPtr> partOf(const Graph& graph, const std::vector<ValueRef>& inputs,
                        const std::vector<NamedValue>& results);

} // namespace fw
