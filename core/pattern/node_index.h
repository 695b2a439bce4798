// The nodes of a graph by operator, in its order: where a pattern can begin.
#pragma once

#include "ir/graph.h"

#include <functional>
#include <set>

namespace fw {

class NodeIndex {
public:
    NodeIndex() = default;
    explicit NodeIndex(const Graph& graph);

    // `rank`: grows along the order of the graph. A node that is there already moves.
    void put(const Node& node, std::int64_t rank);
    void drop(const Node& node);
    // Whether `take` takes a node that has one of these operators; the first ones are asked first.
    bool any(const std::set<std::string>& operators, const std::function<bool(NodeId)>& take) const;

private:
    using Place = std::pair<std::int64_t, NodeId>;

    std::unordered_map<std::string, std::set<Place>> m_places;
    std::unordered_map<NodeId, std::int64_t> m_rank;
};

} // namespace fw
