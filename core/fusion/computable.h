// Whether anything computes an operator that is known.
#pragma once

#include "ir/graph.h"

namespace fw {

// Why nothing does, its reference neither: it is a text, and that text refuses the sizes of this
// call. nullopt where a size is free, and where something computes it.
std::optional<Diag> withoutAnything(const Graph& graph, const Node& node);

} // namespace fw
