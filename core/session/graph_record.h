// A graph as a record. What lies inside its nodes may stand among them: each body is a level of its
// own, whose values that are taken from around it are read where they are made.
#pragma once

#include "fusion/plan.h"
#include "ir/graph.h"
#include "session/describe.h"
#include "snapshot/records.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace fw {

snapshot::TensorRecord tensorRecord(const Graph& graph, ValueRef value);
snapshot::BodyRecord bodyRecord(const Node& node, const Body& body, const std::string& path);
// `outer`: the path of the body that the graph is.
snapshot::NodeRecord nodeRecord(const Graph& graph, const Node& node, const FusionPlan* plan,
                                const std::string& outer);
std::string pathOf(const std::string& outer, const Node& node, const Body& body);

// Every body, the outer ones first.
void visitBodies(const Graph& graph, const auto& visit, const std::string& outer = {}) {
    for (const NodePtr& node : graph.nodes())
        for (const Body& body : node->bodies) {
            const std::string path = pathOf(outer, *node, body);
            visit(*node, body, path);
            visitBodies(*body.graph, visit, path);
        }
}

// More than that stays inside its nodes.
inline constexpr std::size_t mostInside = 20000; // nodes
inline constexpr std::size_t deepestInside = 32; // bodies around them

class GraphRecord {
public:
    struct Level {
        std::string path; // empty: the graph itself
        const Graph* graph = nullptr;
        std::vector<std::pair<NodeId, std::size_t>> rows; // its nodes, and where they stand
        std::unordered_map<NodeId, NodeId>
            ids; // those that nodes have in the record; else the same
        NodeId idOf(NodeId own) const;
    };
    enum class Ids : std::uint8_t { Only, AndNodes };

    GraphRecord(const Graph& graph, snapshot::GraphStage stage, const FusionPlan* plan,
                Bodies bodies, const std::string& path = {}, Ids what = Ids::AndNodes);

    const std::vector<Level>& levels() const { return m_levels; }
    const Level* find(const std::string& path) const; // null: there is none
    snapshot::NodeRecord& node(std::size_t row) { return m_out.nodes[row]; }
    snapshot::GraphDocument take() { return std::move(m_out); }

private:
    // What stands for a value of the graph: of an input that is taken from around it another one.
    using Bound = std::unordered_map<NodeId, snapshot::InputRef>;

    struct Around {        // a graph: what stands for inputs of it,
        Bound bound = {};  // and is read in their place
        Bound begins = {}; // and is what they begin with, or have elements of
        int inside = -1;   // of GraphDocument::insides; -1: it is the outermost one
        std::size_t depth = 0;
    };
    void addLevel(const Graph& graph, const std::string& path, const Around& around);
    void addNode(std::size_t level, const Node& node, const Around& around);
    void addBodies(std::size_t level, const Node& node, const Bound& bound, std::size_t depth);
    void addClasses(std::size_t level, const Around& around);
    snapshot::InputRef refTo(std::size_t level, const Bound& bound, ValueRef value) const;

    snapshot::GraphDocument m_out;
    const FusionPlan* m_plan;
    Bodies m_bodies;
    Ids m_what;
    std::vector<Level> m_levels;
    std::unordered_map<std::string, std::size_t> m_byPath;
    NodeId m_next = 0;       // for nodes of bodies
    std::size_t m_count = 0; // of them
};

} // namespace fw
