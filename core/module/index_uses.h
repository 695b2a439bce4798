// The operands by which a group picks elements, as they lie in memory before it runs.
#pragma once

#include "fusion/group.h"
#include "ir/index_operands.h"

namespace fw {

struct GroupIndex {
    ValueRef value; // that the group reads, or an input or a result of another group
    IndexOperand index;
    std::string node; // that picks by it
};

// Not those that the group computes itself, other than by casting to a wider type or moving, and
// not constants, which are looked at when a model is read.
std::vector<GroupIndex> indicesOf(const Graph& graph, const Group& group);

} // namespace fw
