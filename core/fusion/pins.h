// Pins of the user by the nodes of one graph: who computes them, who does not, and what stays
// apart.
#pragma once

#include "fusion/policy.h"
#include "ir/graph.h"
#include "ir/node_table.h"
#include "strategy/catalog.h"

#include <map>
#include <optional>

namespace fw {

class GraphPins {
public:
    // `position`: of the nodes, in topological order; filled before anything is read.
    GraphPins(const Graph& graph, const NodeTable<std::size_t>& position)
        : m_graph(graph), m_position(position) {}

    // What cannot be followed is a notice.
    void read(const FusionBook& book, const Catalog& catalog, Decisions& notices);

    // The nodes that a pin names, in topological order; nullopt, with a notice, if one is not
    // there.
    std::optional<std::vector<NodeId>> nodesOf(const PinRule& pin, Decisions& notices) const;
    static Decision refusal(const PinRule& pin, const std::string& why);

    std::optional<std::string> apart(NodeId a, NodeId b) const; // the pin that says so
    std::string use(NodeId id) const; // the implementation that the user wants; empty: any
    const std::map<NodeId, std::string>& uses() const { return m_use; }
    // What none of the nodes is to be computed by.
    std::vector<Avoided> avoidedBy(const std::vector<NodeId>& nodes) const;
    const Avoided* avoided(NodeId id, const std::string& code, const std::string& library) const;
    const Avoided* avoided(NodeId id, const Computing& by) const;
    const Avoided* avoided(NodeId id, const Selection& selection) const; // any that it uses

private:
    void avoid(const PinRule& pin, const Catalog& catalog, Decisions& notices);

    const Graph& m_graph;
    const NodeTable<std::size_t>& m_position;
    std::map<std::pair<NodeId, NodeId>, std::string> m_apart;
    std::map<NodeId, std::string> m_use;
    std::map<NodeId, std::vector<Avoided>> m_avoid;
    std::vector<Avoided> m_avoidAlways;
};

} // namespace fw
