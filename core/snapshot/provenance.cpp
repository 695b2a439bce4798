#include "snapshot/provenance.h"

namespace fw::snapshot {

namespace {

NodeSet imageOf(const std::map<NodeId, NodeSet>& relation, const NodeSet& of) {
    NodeSet out;
    for (const NodeId id : of) {
        if (const auto found = relation.find(id); found != relation.end())
            out.insert(found->second.begin(), found->second.end());
    }
    return out;
}

} // namespace

Provenance::Provenance(const GraphDocument& fused) {
    for (const NodeRecord& node : fused.nodes) {
        for (const NodeId origin : node.origins) {
            m_fusedOf[origin].insert(node.id);
            m_importedOf[node.id].insert(origin);
        }
        if (node.group >= 0) {
            m_group[node.id] = node.group;
            m_members[node.group].insert(node.id);
        }
    }
}

NodeSet Provenance::toFused(const NodeSet& imported) const {
    return imageOf(m_fusedOf, imported);
}

NodeSet Provenance::toImported(const NodeSet& fused) const {
    return imageOf(m_importedOf, fused);
}

int Provenance::groupOf(NodeId fused) const {
    const auto found = m_group.find(fused);
    return found == m_group.end() ? -1 : found->second;
}

NodeSet Provenance::membersOf(int group) const {
    const auto found = m_members.find(group);
    return found == m_members.end() ? NodeSet{} : found->second;
}

} // namespace fw::snapshot
