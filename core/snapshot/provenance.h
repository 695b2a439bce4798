// Which nodes of two stages stand for one another, many-to-many, and which group holds a node.
// Built from the origins that the engine recorded; nothing is matched by name.
#pragma once

#include "snapshot/records.h"

#include <map>
#include <set>
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
    std::map<NodeId, NodeSet> m_fusedOf; // imported -> fused
    std::map<NodeId, NodeSet> m_importedOf;
    std::map<NodeId, int> m_group;
    std::map<int, NodeSet> m_members;
};

} // namespace fw::snapshot
