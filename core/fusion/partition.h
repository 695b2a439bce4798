// Regions of a plan: what one library computes in a row, or code of ours, so that each could be
// handed on as a whole.
//
// Neighbouring groups of one owner are one region as long as no way leaves it and comes back:
// regions are convex and follow one another without a circle. Names and order are those of
// execution.
#pragma once

#include "fusion/group.h"

namespace fw {

struct Region {
    std::string name;                      // "onednn_0", "own_1"
    std::string owner;                     // a library, or "opaque"; empty: code of ours
    std::vector<int> groups;               // ids, in order of execution; views among them
    std::vector<ValueRef> inputs, outputs; // at its border, in order of first use; no constants
};

struct Partition {
    std::vector<Region> regions; // in order of their first groups
    std::vector<int> regionOf;   // by id of the group
    // Bytes that one region hands to another, each value once per region that reads it; free
    // dimensions count as 1.
    double bytesCrossing = 0;
};

// `joins`: how often regions that touch are looked at, whether another way leads from one to the
// other; behind it they stay apart.
Partition partitionOf(const Graph& graph, const FusionPlan& plan, std::size_t joins = 1000000);

} // namespace fw
