#include "session/path_outside.h"

#include "ir/node_table.h"

#include <algorithm>
#include <deque>

namespace fw {

std::vector<NodeId> pathOutside(const Graph& graph, const FusionPlan& plan, NodeId from,
                                NodeId to) {
    const int group = plan.groupOf.at(from);
    if (plan.groupOf.at(to) == group)
        return {};
    const auto isInside = [&](NodeId id) {
        const auto found = plan.groupOf.find(id);
        return found != plan.groupOf.end() && found->second == group;
    };
    NodeTable<NodeId> cameFrom(graph);
    std::deque<NodeId> next;
    std::vector<NodeId> escape;
    const auto visitReaders = [&](NodeId id) {
        const Node& node = graph.node(id);
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            for (const Use& use : graph.uses({id, static_cast<int>(i)})) {
                const bool direct = use.node == to && isInside(id);
                if (direct || isInside(use.node) || cameFrom.contains(use.node))
                    continue;
                if (escape.empty())
                    escape = {id, use.node};
                cameFrom.set(use.node, id);
                next.push_back(use.node);
            }
    };
    visitReaders(from);
    for (const NodeId id : plan.groups.at(static_cast<std::size_t>(group)).nodes)
        if (id != from)
            visitReaders(id);
    while (!next.empty() && !cameFrom.contains(to)) {
        visitReaders(next.front());
        next.pop_front();
    }
    if (!cameFrom.contains(to))
        return escape;
    std::vector<NodeId> way{to};
    while (!isInside(way.back()))
        way.push_back(cameFrom.at(way.back()));
    std::reverse(way.begin(), way.end());
    return way;
}

} // namespace fw
