// The best of many ways to part a graph into groups: of pieces that overlap, each with what it
// costs, those that hold every node once, in an order in which they can run, and cost the least
// together.
#pragma once

#include "ir/graph.h"

#include <optional>
#include <vector>

namespace fw {

struct CoverPiece {
    std::vector<NodeId> nodes;
    double us = 0;
};

struct Cover {
    std::vector<std::size_t> pieces; // in an order in which they can run
    double us = 0;
};

// Of the nodes that are in a piece; all others are there before. Exact: nothing if no choice of the
// pieces does, or if more than `most` states would be looked at.
std::optional<Cover> bestCover(const Graph& graph, const std::vector<CoverPiece>& pieces,
                               std::size_t most = 200'000);

} // namespace fw
