// What changed between two snapshots of one lineage, in which a node keeps its id: "what did this
// rule do".
#pragma once

#include "ir/graph.h"

namespace fw {

enum class Change : std::uint8_t {
    Removed,
    Added,
    Changed, // the same node with other operands, attributes, types or data
};

struct NodeChange {
    Change change = Change::Added;
    NodeId node = -1;
    std::string text; // "+ relu act (act.y: f32[2]) of 3, 4": operator, name, first value, origins

    bool operator==(const NodeChange&) const = default;
};

// In the order of the graphs: removed ones in that of `before`, then the others in that of `after`.
// A node that reads the successor of what it read before is changed; one whose origins alone differ
// is not.
std::vector<NodeChange> diffGraphs(const Graph& before, const Graph& after);

} // namespace fw
