// Graphs like one at which a rule acts: what it overlooks is most likely near what it asks for.
#pragma once

#include "base/random.h"
#include "ir/graph.h"

namespace fw {

// With one attribute of one operator changed; nullopt if that fits no longer.
std::optional<GraphPtr> variedGraph(const Graph& graph, Random& random);

} // namespace fw
