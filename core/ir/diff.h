// What changed between two graphs: between snapshots of one lineage, in which a node keeps its id
// ("what did this rule do"), or between any two, whose nodes are matched by name.
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

// Of graphs that need not be related: nodes with equal names are the same node, so `text` of a
// changed one says how: "~ conv2d Conv_0: pads = [1, 1, 1, 1] instead of [0, 0, 0, 0]". Removed
// ones carry their id in `before`, the others theirs in `after`. Results count as changed where
// another value has the result's name.
std::vector<NodeChange> diffByName(const Graph& before, const Graph& after);

} // namespace fw
