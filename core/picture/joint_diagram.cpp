#include "picture/joint_diagram.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace fw::picture {

using snapshot::Hierarchy;
using snapshot::NodeId;
using snapshot::NodeRecord;

std::int64_t boxOf(const snapshot::JointGraph& joint, std::size_t state, std::size_t node) {
    const NodeId id = joint.nodes[node].ids[state];
    return id != snapshot::noNode ? id : absentBox - static_cast<std::int64_t>(node);
}

std::vector<std::int64_t> containersOf(const snapshot::JointGraph& joint, std::size_t state) {
    std::vector<std::int64_t> out;
    std::set<int> known;
    for (std::size_t i = 0; i < joint.labels.size(); ++i) {
        const int group = joint.labels[i][state].group;
        const bool first = group >= 0 && known.insert(group).second;
        out.push_back(first ? group : absentBox - static_cast<std::int64_t>(i));
    }
    return out;
}

namespace {

// Of a group that another state parts: "  1 of 2".
std::string partText(int part, int parts) {
    return fmt::format("  {} of {}", part, parts);
}

// What the state says of its nodes, in boxes that have room for what others say.
void nameNodes(const snapshot::JointGraph& joint, std::size_t state, Diagram& diagram) {
    const auto otherOf = [&](std::int64_t id) -> const std::map<std::size_t, NodeRecord>* {
        const bool isNode = id >= 0 && static_cast<std::size_t>(id) < joint.nodes.size();
        const auto* others = isNode ? &joint.nodes[static_cast<std::size_t>(id)].others : nullptr;
        return others && !others->empty() ? others : nullptr;
    };
    for (Box& box : diagram.boxes)
        if (const auto* others = otherOf(box.id)) {
            box.alsoFits = {box.subtitle};
            for (const auto& [of, node] : *others)
                box.alsoFits.push_back(subtitleOf(node));
            if (const auto mine = others->find(state);
                mine != others->end() && !box.subtitle.empty())
                box.subtitle = subtitleOf(mine->second);
        }
    for (Edge& edge : diagram.edges)
        if (const auto* others = otherOf(edge.from))
            if (const auto mine = others->find(state); mine != others->end())
                edge.label = labelOf(mine->second, edge.fromPort);
}

void nameContainers(const snapshot::JointGraph& joint, std::size_t state, const Hierarchy* blocks,
                    Diagram& diagram) {
    const std::vector<std::int64_t> ids = containersOf(joint, state);
    std::map<int, int> parts;
    for (const auto& labels : joint.labels)
        ++parts[labels[state].group];
    std::map<int, int> part;
    const auto idOf = [&](std::int64_t group) {
        return group >= 0 && static_cast<std::size_t>(group) < ids.size()
                   ? ids[static_cast<std::size_t>(group)]
                   : group; // a block, or none
    };
    for (Container& container : diagram.containers) {
        container.parent = idOf(container.parent);
        const auto group = static_cast<std::size_t>(container.id);
        if (container.id < 0 || group >= joint.labels.size())
            continue;
        for (const snapshot::JointLabel& label : joint.labels[group])
            container.alsoFits.emplace_back(label.title + partText(9, 9), label.right);
        const snapshot::JointLabel& mine = joint.labels[group][state];
        container.id = ids[group];
        if (mine.group < 0)
            continue;
        container.title = mine.title;
        if (const int all = parts[mine.group]; all > 1)
            container.title += partText(++part[mine.group], all);
        container.right = mine.right;
        container.maker = mine.maker;
    }
    for (Box& box : diagram.boxes)
        box.container = idOf(box.container);
    // Closed groups: titles stay, so that they have one width.
    for (Box& box : diagram.boxes) {
        const snapshot::Block* block =
            blocks && box.role == BoxRole::Block ? blocks->find(box.id) : nullptr;
        if (!block || block->group < 0)
            continue;
        const auto& labels = joint.labels[static_cast<std::size_t>(block->group)];
        for (const snapshot::JointLabel& label : labels)
            box.alsoFits.push_back(label.right);
        if (const snapshot::JointLabel& mine = labels[state]; mine.group >= 0) {
            box.maker = mine.maker;
            box.lines = {mine.right};
        }
    }
}

} // namespace

Diagram diagramOf(const snapshot::JointGraph& joint, std::size_t state,
                  const DiagramOptions& options) {
    Diagram out = diagramOf(joint.graph, options);
    nameNodes(joint, state, out);
    nameContainers(joint, state, options.blocks.get(), out);
    const auto rename = [&](std::int64_t& id) {
        if (id >= 0 && static_cast<std::size_t>(id) < joint.nodes.size()) // no result
            id = boxOf(joint, state, static_cast<std::size_t>(id));
    };
    for (Box& box : out.boxes)
        rename(box.id);
    for (Edge& edge : out.edges) {
        rename(edge.from);
        rename(edge.to);
    }
    return out;
}

} // namespace fw::picture
