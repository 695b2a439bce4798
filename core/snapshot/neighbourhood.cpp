#include "snapshot/neighbourhood.h"

#include "snapshot/insides.h"

#include <algorithm>
#include <unordered_map>

namespace fw::snapshot {

namespace {

class Neighbours {
public:
    explicit Neighbours(const GraphDocument& graph)
        : m_graph(graph), m_up(graph.nodes.size()), m_down(graph.nodes.size()) {
        for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
            if (!graph.nodes[i].constant)
                m_places.emplace(graph.nodes[i].id, i);
        for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
            for (const InputRef& input : graph.nodes[i].inputs)
                if (const auto from = m_places.find(input.node); from != m_places.end()) {
                    m_up[i].push_back(from->second);
                    m_down[from->second].push_back(i);
                }
        for (const InsideRecord& body : graph.insides)
            for (const InputRef& result : body.results) {
                const auto from = m_places.find(result.node), to = m_places.find(body.node);
                if (from != m_places.end() && to != m_places.end()) {
                    m_up[to->second].push_back(from->second);
                    m_down[from->second].push_back(to->second);
                }
            }
    }

    // What lies inside nodes is not met.
    void leaveInsides() {
        for (const NodeId node : nodesInside(m_graph))
            m_places.erase(node);
        const auto isLeft = [&](std::uint32_t place) {
            return !m_places.contains(m_graph.nodes[place].id);
        };
        for (auto* ways : {&m_up, &m_down})
            for (Places& places : *ways)
                std::erase_if(places, isLeft);
    }

    using Places = std::vector<std::uint32_t>;
    enum class Way : std::uint8_t { Up, Down, Both };

    // Step by step from these; ends by itself when nothing new is met.
    Places from(const NodeSet& nodes, Way way, int steps) const {
        std::vector<char> seen(m_graph.nodes.size(), 0);
        Places out;
        const auto meet = [&](std::uint32_t place) {
            if (!seen[place]) {
                seen[place] = 1;
                out.push_back(place);
            }
        };
        for (const NodeId node : nodes)
            if (const auto place = m_places.find(node); place != m_places.end())
                meet(place->second);
        for (std::size_t begin = 0; begin < out.size() && steps > 0; --steps) {
            const std::size_t end = out.size();
            for (; begin < end; ++begin) {
                const std::uint32_t place = out[begin];
                if (way != Way::Down)
                    std::for_each(m_up[place].begin(), m_up[place].end(), meet);
                if (way != Way::Up)
                    std::for_each(m_down[place].begin(), m_down[place].end(), meet);
            }
        }
        return out;
    }
    NodeSet ids(const Places& places) const {
        NodeSet out;
        for (const std::uint32_t place : places)
            out.insert(m_graph.nodes[place].id);
        return out;
    }

private:
    const GraphDocument& m_graph;
    std::unordered_map<NodeId, std::uint32_t> m_places;
    std::vector<Places> m_up, m_down;
};

} // namespace

NodeSet streamOf(const GraphDocument& graph, const NodeSet& nodes) {
    const Neighbours neighbours(graph);
    NodeSet out = neighbours.ids(neighbours.from(nodes, Neighbours::Way::Up, INT32_MAX));
    out.merge(neighbours.ids(neighbours.from(nodes, Neighbours::Way::Down, INT32_MAX)));
    return out;
}

NodeSet waysBetween(const GraphDocument& graph, NodeId one, NodeId other) {
    const Neighbours neighbours(graph);
    for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)}) {
        const NodeSet down =
            neighbours.ids(neighbours.from({from}, Neighbours::Way::Down, INT32_MAX));
        if (!down.contains(to))
            continue;
        NodeSet out = neighbours.ids(neighbours.from({to}, Neighbours::Way::Up, INT32_MAX));
        std::erase_if(out, [&](NodeId node) { return !down.contains(node); });
        return out;
    }
    return {};
}

NodeSet nodesAround(const GraphDocument& graph, const NodeSet& nodes, int steps) {
    Neighbours neighbours(graph);
    const auto inside = nodesInside(graph);
    if (std::none_of(nodes.begin(), nodes.end(),
                     [&](NodeId node) { return inside.contains(node); }))
        neighbours.leaveInsides();
    return neighbours.ids(neighbours.from(nodes, Neighbours::Way::Both, steps));
}

} // namespace fw::snapshot
