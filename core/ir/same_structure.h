// Whether two graphs of different lineages compute by the same operators: node for node from the
// results backward, whatever the nodes and inner values are called.
#pragma once

#include "ir/graph.h"

namespace fw {

// The first difference as a sentence, empty if there is none. Unwritten attributes count with their
// default. Real constants may differ by rounding (1e-5 of the value), so that what was computed
// while rewriting can be written as the formula that it came from. Nodes that no result needs are
// not looked at.
std::string structuralDifference(const Graph& got, const Graph& wanted);

} // namespace fw
