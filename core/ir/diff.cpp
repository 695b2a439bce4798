#include "ir/diff.h"

#include <fmt/format.h>

namespace fw {

namespace {

bool sameData(const Node& a, const Node& b) {
    return a.data == b.data || (a.data && b.data && *a.data == *b.data);
}

bool sameNode(const Node& a, const Node& b) {
    return a.name == b.name && a.op == b.op && a.inputs == b.inputs && a.attrs == b.attrs &&
           a.outputs == b.outputs && a.bodies == b.bodies && sameData(a, b);
}

NodeChange changeOf(Change change, char mark, const Node& node) {
    std::string text = fmt::format("{} {} {}", mark, node.op, node.name);
    if (!node.outputs.empty())
        text += fmt::format(" ({}: {})", node.outputs[0].name, node.outputs[0].type.text());
    std::string origins;
    for (const NodeId id : node.origins)
        origins += fmt::format("{}{}", origins.empty() ? "" : ", ", id);
    return {change, node.id, origins.empty() ? text : text + " of " + origins};
}

} // namespace

std::vector<NodeChange> diffGraphs(const Graph& before, const Graph& after) {
    std::vector<NodeChange> out;
    for (const NodePtr& node : before.nodes())
        if (after.find(node->id) == nullptr)
            out.push_back(changeOf(Change::Removed, '-', *node));
    for (const NodePtr& node : after.nodes()) {
        const Node* old = before.find(node->id);
        if (old == nullptr)
            out.push_back(changeOf(Change::Added, '+', *node));
        else if (!sameNode(*old, *node))
            out.push_back(changeOf(Change::Changed, '~', *node));
    }
    return out;
}

} // namespace fw
