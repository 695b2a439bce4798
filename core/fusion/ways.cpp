// Ways through the graph: who reads a group, where all ways out of it meet, and which come back.
#include "fusion/group_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace fw {

bool GroupPlanner::isFurther(ValueRef value) const {
    return value.output > 0 && m_facts.at(value.node).kind > FusionKind::Injective;
}

std::vector<NodeId> GroupPlanner::readersOf(const Forming& group) const {
    std::vector<NodeId> out;
    for (const NodeId id : group.nodes)
        for (std::size_t i = 0; i < m_graph.node(id).outputs.size(); ++i)
            if (const ValueRef value{id, static_cast<int>(i)}; !isFurther(value))
                for (const Use& use : m_graph.uses(value))
                    if (!group.has(use.node) &&
                        std::find(out.begin(), out.end(), use.node) == out.end())
                        out.push_back(use.node);
    std::sort(out.begin(), out.end(),
              [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); });
    return out;
}

std::size_t GroupPlanner::operandCount(const std::set<NodeId>& nodes) const {
    std::set<ValueRef> read;
    for (const NodeId id : nodes)
        for (const ValueRef& input : m_graph.node(id).inputs)
            if (input.valid() && !nodes.contains(input.node))
                read.insert(input);
    return read.size();
}

// Groups count as one: a way that enters another group may leave it anywhere.
std::string GroupPlanner::wayBack(const std::set<NodeId>& nodes) const {
    // Behind `last` no way comes back: there is no group around it that begins before.
    std::size_t last = 0;
    for (const NodeId id : nodes)
        last = std::max(last, m_position.at(id));
    while (m_reach.upTo(last) > last)
        last = m_reach.upTo(last);
    std::map<NodeId, NodeId> from; // outside node -> where the way came from
    std::vector<NodeId> open(nodes.begin(), nodes.end());
    const auto reach = [&](NodeId id, NodeId by) {
        if (!from.emplace(id, by).second)
            return;
        open.push_back(id);
        if (const std::size_t* group = m_where.find(id))
            for (const NodeId other : m_forming[*group].nodes)
                if (!nodes.contains(other) && from.emplace(other, id).second)
                    open.push_back(other);
    };
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        for (std::size_t i = 0; i < m_graph.node(id).outputs.size(); ++i)
            for (const Use& use : m_graph.uses({id, static_cast<int>(i)})) {
                if (!nodes.contains(use.node)) {
                    if (m_position.at(use.node) <= last)
                        reach(use.node, id);
                    continue;
                }
                if (nodes.contains(id))
                    continue;
                std::string path = label(use.node);
                NodeId at = id;
                for (; !nodes.contains(at); at = from.at(at))
                    path = label(at) + ", " + path;
                return label(at) + ", " + path;
            }
    }
    return {};
}

std::vector<NodeId> GroupPlanner::pathOutside(const Forming& group,
                                              const std::vector<NodeId>& readers,
                                              std::string& why) const {
    const auto before = [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); };
    std::set<NodeId, decltype(before)> open(readers.begin(), readers.end(), before);
    std::vector<NodeId> way;
    while (true) {
        const NodeId id = *open.begin();
        open.erase(open.begin());
        way.push_back(id);
        if (open.empty())
            return way;
        const Node& node = m_graph.node(id);
        bool read = false;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            if (m_graph.isResult(value)) {
                why = fmt::format("{}, of which {} is a result of the model", labels(readers),
                                  node.outputs[i].name);
                return {};
            }
            for (const Use& use : m_graph.uses(value)) {
                read = true;
                if (!group.has(use.node))
                    open.insert(use.node);
            }
        }
        // Only what could join is worth following.
        const FusionKind kind = m_facts.at(id).kind;
        if (!read || kind > FusionKind::Injective || way.size() > 64 || isView(m_graph, node)) {
            why = labels(readers);
            return {};
        }
    }
}

std::optional<std::string> GroupPlanner::knownLater(NodeId a, NodeId b) const {
    const int first = m_levels.of(a), second = m_levels.of(b);
    if (first == second)
        return std::nullopt;
    return fmt::format("{} waits for {} binding operator{} more than {}",
                       label(first < second ? b : a), std::abs(first - second),
                       std::abs(first - second) == 1 ? "" : "s", label(first < second ? a : b));
}

} // namespace fw
