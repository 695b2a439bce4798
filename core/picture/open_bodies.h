// Graphs inside nodes, as far as a picture shows them.
#pragma once

#include "picture/diagram.h"
#include "snapshot/hierarchy.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fw::picture {

class OpenBodies {
public:
    OpenBodies() = default;
    // `closed`: per block, the closed one around it. Without blocks nothing is open.
    OpenBodies(const snapshot::GraphDocument& graph, const snapshot::Hierarchy* blocks,
               const std::vector<std::uint32_t>& closed);

    bool hold(snapshot::NodeId node) const { return m_inside.contains(node); }
    Inside of(snapshot::NodeId node) const;
    // All bodies that take this operand of their node are open: it is drawn into them.
    bool read(snapshot::NodeId node, std::size_t operand) const;
    std::vector<const snapshot::InsideRecord*> open() const;

private:
    struct Body {
        const snapshot::InsideRecord* record = nullptr;
        bool open = false;
    };
    std::vector<Body> m_bodies;
    std::unordered_map<snapshot::NodeId, std::vector<std::size_t>> m_of; // the node that holds them
    std::unordered_set<snapshot::NodeId> m_inside;
};

} // namespace fw::picture
