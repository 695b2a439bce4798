// Graphs like one at which a rule acts: what it overlooks is most likely near what it asks for.
#pragma once

#include "base/random.h"
#include "ir/graph.h"
#include "tensor/draw_values.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fw {

// With other names of operators and leaves; nullopt if that fits no longer.
std::optional<GraphPtr> renamedGraph(const Graph& graph,
                                     const std::map<NodeId, std::string>& names);

// With one attribute of one operator changed, or all elements of one constant: to a value at which
// laws of arithmetic end, or to one that goes with another constant (equal, reciprocal, opposite).
// nullopt if that fits no longer. Nodes keep their names, here and below.
std::optional<GraphPtr> variedGraph(const Graph& graph, Random& random);

// With other data of some of its constants of numbers: those at which their types end, large and
// small ones. nullopt if it has none.
std::optional<GraphPtr> withEndsAsConstants(const Graph& graph, const Literals& literals,
                                            Random& random);

// With what is a literal, or next to one, in some of its constants of numbers. nullopt if it has
// none.
std::optional<GraphPtr> withLiteralsAsConstants(const Graph& graph, const Literals& literals,
                                                Random& random);

// With NaN, or infinities, in some of its constants of real numbers. nullopt if it has none.
enum class NoNumber : std::uint8_t { NaN, Infinity };
std::optional<GraphPtr> withNoNumbersAsConstants(const Graph& graph, NoNumber what, Random& random);

// With one extent of its leaves another one, wherever they have it or only at one place; what has
// no elements at an extent of 0.
std::optional<GraphPtr> resizedGraph(const Graph& graph, std::int64_t extent, Random& random);

// With one of its leaves larger than all others by an axis, for each leaf where that fits: another
// one than before may decide what shape the results have.
std::vector<GraphPtr> grownGraphs(const Graph& graph, Random& random);

// With another shape of one leaf: an axis more or less, another extent. nullopt if that fits not.
std::optional<GraphPtr> reshapedGraph(const Graph& graph, Random& random);

} // namespace fw
