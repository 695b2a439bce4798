#include "snapshot/provenance.h"

#include <algorithm>

namespace fw::snapshot {

NodeSet Provenance::imageOf(const Relation& relation, const NodeSet& of) {
    NodeSet out;
    for (const NodeId id : of)
        for (auto pair = std::lower_bound(relation.begin(), relation.end(), std::pair(id, noNode));
             pair != relation.end() && pair->first == id; ++pair)
            out.insert(pair->second);
    return out;
}

Provenance::Provenance(const GraphDocument& fused) {
    for (const NodeRecord& node : fused.nodes) {
        for (const NodeId origin : node.origins) {
            m_fusedOf.emplace_back(origin, node.id);
            m_importedOf.emplace_back(node.id, origin);
        }
        if (node.group >= 0) {
            m_group.emplace_back(node.id, node.group);
            m_members.emplace_back(node.group, node.id);
        }
    }
    for (Relation* relation : {&m_fusedOf, &m_importedOf, &m_group, &m_members})
        std::sort(relation->begin(), relation->end());
}

NodeSet Provenance::toFused(const NodeSet& imported) const {
    return imageOf(m_fusedOf, imported);
}

NodeSet Provenance::toImported(const NodeSet& fused) const {
    return imageOf(m_importedOf, fused);
}

int Provenance::groupOf(NodeId fused) const {
    const NodeSet groups = imageOf(m_group, {fused});
    return groups.empty() ? -1 : static_cast<int>(*groups.begin());
}

NodeSet Provenance::membersOf(int group) const {
    return imageOf(m_members, {group});
}

} // namespace fw::snapshot
