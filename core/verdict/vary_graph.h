// Graphs like one at which a rule acts: what it overlooks is most likely near what it asks for.
#pragma once

#include "base/random.h"
#include "ir/graph.h"

namespace fw {

// With one attribute of one operator changed, or all elements of one constant: to a value at which
// laws of arithmetic end, or to one that goes with another constant (equal, reciprocal, opposite).
// nullopt if that fits no longer. Leaves keep their names.
std::optional<GraphPtr> variedGraph(const Graph& graph, Random& random);

// With one extent of its leaves 0, wherever they have it.
std::optional<GraphPtr> emptiedGraph(const Graph& graph, Random& random);

} // namespace fw
