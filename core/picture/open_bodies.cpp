#include "picture/open_bodies.h"

#include <algorithm>

namespace fw::picture {

using snapshot::Hierarchy;
using snapshot::InsideRecord;
using snapshot::NodeId;

OpenBodies::OpenBodies(const snapshot::GraphDocument& graph, const Hierarchy* blocks,
                       const std::vector<std::uint32_t>& closed) {
    // Blocks of a node come in the order of its records, without those that are left out.
    std::unordered_map<NodeId, std::vector<std::uint32_t>> blocksOf;
    for (std::uint32_t b = 0; blocks != nullptr && b < blocks->blocks.size(); ++b)
        if (blocks->blocks[b].kind == snapshot::Block::Kind::Body)
            blocksOf[blocks->blocks[b].box].push_back(b);
    std::unordered_map<NodeId, std::size_t> used;
    for (const InsideRecord& one : graph.insides) {
        m_inside.insert(one.nodes.begin(), one.nodes.end());
        Body body{&one};
        if (const auto here = blocksOf.find(one.node);
            one.leftOut.empty() && here != blocksOf.end())
            if (const std::size_t at = used[one.node]++; at < here->second.size())
                body.open = closed[here->second[at]] == Hierarchy::none;
        m_of[one.node].push_back(m_bodies.size());
        m_bodies.push_back(body);
    }
}

Inside OpenBodies::of(NodeId node) const {
    const auto bodies = m_of.find(node);
    if (bodies == m_of.end())
        return Inside::None;
    return std::any_of(bodies->second.begin(), bodies->second.end(),
                       [&](std::size_t body) { return m_bodies[body].open; })
               ? Inside::Open
               : Inside::Closed;
}

bool OpenBodies::read(NodeId node, std::size_t operand) const {
    const auto bodies = m_of.find(node);
    if (bodies == m_of.end())
        return false;
    bool any = false;
    for (const std::size_t body : bodies->second) {
        const auto& reads = m_bodies[body].record->reads;
        if (std::find(reads.begin(), reads.end(), static_cast<int>(operand)) == reads.end())
            continue;
        if (!m_bodies[body].open)
            return false;
        any = true;
    }
    return any;
}

std::vector<const InsideRecord*> OpenBodies::open() const {
    std::vector<const InsideRecord*> out;
    for (const Body& body : m_bodies)
        if (body.open)
            out.push_back(body.record);
    return out;
}

} // namespace fw::picture
