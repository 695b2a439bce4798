// A graph of which some nodes are not shown: in the place of neighbours that are hidden stands one
// node, a mark, which says how many they are ("12 hidden"). What they read and what others read of
// them ends there, so nothing is gone without a sign.
#pragma once

#include "snapshot/provenance.h"
#include "snapshot/records.h"

#include <unordered_map>

namespace fw::snapshot {

// Ids of marks: this one and below, above those of blocks.
inline constexpr NodeId firstHiddenMark = -1'500'000'000;
inline constexpr NodeId lastHiddenMark = -1'999'999'999;
inline bool isHiddenMark(NodeId id) {
    return id <= firstHiddenMark && id >= lastHiddenMark;
}

struct Shown {
    GraphDocument graph;                       // ids of what is shown stay
    std::unordered_map<NodeId, NodeId> markOf; // of each node that is hidden
};

// What lies inside hidden nodes is hidden with them, constants with all of their readers, results
// with their makers. A mark stands for neighbours of one graph between which no way leads through
// what is shown, so marks close no circle. Takes n log n of the nodes.
Shown withoutHidden(const GraphDocument& graph, const NodeSet& hidden);

// All that is no constant, not among these, and not around them as what they lie inside.
NodeSet othersThan(const GraphDocument& graph, const NodeSet& nodes);

} // namespace fw::snapshot
