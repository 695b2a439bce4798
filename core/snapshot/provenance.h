// Which nodes of two stages stand for one another, many-to-many, and which group holds a node.
// Built from the origins that the engine recorded; nothing is matched by name.
#pragma once

#include "snapshot/records.h"

#include <set>
#include <utility>
#include <vector>

namespace fw::snapshot {

using NodeSet = std::set<NodeId>;

class Provenance {
public:
    Provenance() = default;
    explicit Provenance(const GraphDocument& fused);

    NodeSet toFused(const NodeSet& imported) const;
    NodeSet toImported(const NodeSet& fused) const;
    int groupOf(NodeId fused) const; // -1: none
    NodeSet membersOf(int group) const;

private:
    using Relation = std::vector<std::pair<NodeId, NodeId>>; // sorted
    static NodeSet imageOf(const Relation& relation, const NodeSet& of);

    Relation m_fusedOf; // imported -> fused
    Relation m_importedOf;
    Relation m_group;
    Relation m_members;
};

} // namespace fw::snapshot
