#include "snapshot/insides.h"

#include <algorithm>

namespace fw::snapshot {

std::unordered_set<NodeId> nodesInside(const GraphDocument& graph) {
    std::unordered_set<NodeId> out;
    for (const InsideRecord& body : graph.insides)
        out.insert(body.nodes.begin(), body.nodes.end());
    return out;
}

std::vector<const InsideRecord*> bodiesAround(const GraphDocument& graph, NodeId node) {
    std::vector<const InsideRecord*> out;
    // Outer ones stand in front of those inside them.
    for (auto body = graph.insides.rbegin(); body != graph.insides.rend(); ++body)
        if (std::find(body->nodes.begin(), body->nodes.end(), node) != body->nodes.end()) {
            out.insert(out.begin(), &*body);
            node = body->node;
        }
    return out;
}

std::string blockPathOf(const InsideRecord& body) {
    return "inside " + body.path;
}

GraphDocument withoutInsides(GraphDocument graph) {
    const std::unordered_set<NodeId> inside = nodesInside(graph);
    std::erase_if(graph.nodes, [&](const NodeRecord& node) { return inside.contains(node.id); });
    std::erase_if(graph.edges, [&](const EdgeRecord& edge) { return inside.contains(edge.node); });
    graph.insides.clear();
    return graph;
}

} // namespace fw::snapshot
