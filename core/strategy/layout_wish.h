// What an implementation says about the order of tensors in memory, and what it costs to ignore it.
#pragma once

#include "ir/graph.h"
#include "ir/storage_map.h"
#include "target/target.h"

#include <limits>
#include <optional>

namespace fw {

struct LayoutWish {
    // Row-major: of all that its group reads and writes. Else of the images that the node reads and
    // writes. Empty: every order is as good.
    std::optional<StorageMap> order;
    double otherwiseUs = 0; // what another order costs; `refused`: it takes no other
    // Of an image between two calls of this implementation, if its channels are a multiple of the
    // block.
    std::optional<StorageMap> between;

    static constexpr double refused = std::numeric_limits<double>::infinity();
};

// The images that a node reads and computes; no constants, which are packed as the code wants.
std::vector<ValueRef> imagesOf(const Graph& graph, const Node& node);

// Channels-last, at the cost of reading and writing the node's images once in another order.
LayoutWish wishChannelsLast(const Graph& graph, const Node& node, const Target& target);

} // namespace fw
