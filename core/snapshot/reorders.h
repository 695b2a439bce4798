// Steps of a plan that bring a tensor into the order that a library wants, or back, as nodes of the
// fused graph: on the edge from what makes the tensor to the group that wants it so, or behind the
// group. They are no operators, so only pictures have them.
#pragma once

#include "snapshot/records.h"

namespace fw::snapshot {

// Ids of reorders: this one and below, above those of marks (hidden.h).
inline constexpr NodeId firstReorder = -1'200'000'000;
inline constexpr NodeId lastReorder = -1'499'999'999;
inline bool isReorder(NodeId id) {
    return id <= firstReorder && id >= lastReorder;
}

struct Reorder {
    const ReorderRecord* record = nullptr; // null: the plan has none of this id
    const GroupRecord* group = nullptr;    // for which it is
};
Reorder reorderOf(const FuseDocument& plan, NodeId id);
// What is known of its time: measured, or else estimated ("≈0.7 µs"); empty: nothing is.
std::string reorderTime(const ReorderRecord& reorder, const ProfileDocument* times);

// `graph`: of stage "fused", or what is shown of it. Where a tensor has no maker in it, there is no
// reorder either.
GraphDocument withReorders(GraphDocument graph, const FuseDocument& plan,
                           const ProfileDocument* times);

} // namespace fw::snapshot
