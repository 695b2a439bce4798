#include "pattern/node_index.h"

#include <algorithm>

namespace fw {

NodeIndex::NodeIndex(const Graph& graph) {
    std::int64_t rank = 0;
    for (const NodePtr& node : graph.nodes())
        put(*node, rank++);
}

void NodeIndex::put(const Node& node, std::int64_t rank) {
    std::set<Place>& places = m_places[node.op];
    const auto [known, isNew] = m_rank.emplace(node.id, rank);
    if (!isNew) {
        if (known->second == rank)
            return;
        places.erase({known->second, node.id});
        known->second = rank;
    }
    places.emplace_hint(places.end(), rank, node.id);
}

void NodeIndex::drop(const Node& node) {
    const auto known = m_rank.find(node.id);
    if (known == m_rank.end())
        return;
    m_places[node.op].erase({known->second, node.id});
    m_rank.erase(known);
}

bool NodeIndex::any(const std::set<std::string>& operators,
                    const std::function<bool(NodeId)>& take) const {
    using Part = std::pair<std::set<Place>::const_iterator, std::set<Place>::const_iterator>;
    std::vector<Part> parts; // what is left of each operator
    for (const std::string& op : operators)
        if (const auto found = m_places.find(op); found != m_places.end())
            parts.emplace_back(found->second.begin(), found->second.end());
    for (;;) {
        std::erase_if(parts, [](const Part& part) { return part.first == part.second; });
        const auto first =
            std::min_element(parts.begin(), parts.end(),
                             [](const Part& a, const Part& b) { return *a.first < *b.first; });
        if (first == parts.end())
            return false;
        if (take((first->first++)->second))
            return true;
    }
}

} // namespace fw
