// How much of a graph is shown through a view of its blocks, and how far it can be opened before
// that is too much to be laid out, or to be looked at.
#pragma once

#include "snapshot/hierarchy.h"

#include <span>

namespace fw::snapshot {

// Closed blocks, and nodes that lie in none.
std::size_t boxesShown(const Hierarchy& graph, const BlockView& view);

struct Opened {
    BlockView view;
    std::size_t closed = 0; // blocks that had to stay so, of the graph with the most of them
};

// Opens the block with the path `within` and all inside it (empty: everything), level by level as
// long as no graph shows more than `most` boxes. Null graphs are passed over.
Opened openWithin(std::span<const Hierarchy* const> graphs, BlockView view,
                  const std::string& within, std::size_t most);

} // namespace fw::snapshot
