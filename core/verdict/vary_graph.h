// Graphs like one at which a rule acts: what it overlooks is most likely near what it asks for.
#pragma once

#include "base/random.h"
#include "ir/graph.h"

#include <vector>

namespace fw {

// With one attribute of one operator changed, or all elements of one constant: to a value at which
// laws of arithmetic end, or to one that goes with another constant (equal, reciprocal, opposite).
// nullopt if that fits no longer. Leaves keep their names.
std::optional<GraphPtr> variedGraph(const Graph& graph, Random& random);

// With one extent of its leaves 0, wherever they have it.
std::optional<GraphPtr> emptiedGraph(const Graph& graph, Random& random);

// With one of its leaves larger than all others by an axis, for each leaf where that fits: another
// one than before may decide what shape the results have.
std::vector<GraphPtr> grownGraphs(const Graph& graph, Random& random);

// With another shape of one leaf: an axis more or less, another extent. nullopt if that fits not.
std::optional<GraphPtr> reshapedGraph(const Graph& graph, Random& random);

} // namespace fw
