// Whether anything computes an operator that is known, and what keeps a graph from being run.
#pragma once

#include "ir/graph.h"
#include "ir/missing_type.h"

namespace fw {

// Why nothing does, its reference neither: it is a text, and that text refuses the sizes of this
// call. nullopt where a size is free, and where something computes it.
std::optional<Diag> withoutAnything(const Graph& graph, const Node& node);

// Why a known operator has no tensor expression; nullopt if it has one.
std::optional<Diag> withoutCode(const Graph& graph, const Node& node);

// What keeps a graph from being run, one diagnostic per node, causes before what follows from them;
// empty if nothing does. TypeUnknown: the node reads a value whose type is not known.
Diags obstacles(const Graph& graph);
// Why a node is not understood, or what its text does at these sizes.
Diag obstacleOf(const Graph& graph, const Node& node, MissingTypes& missing);

} // namespace fw
