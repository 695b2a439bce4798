#include "ir/diff.h"

#include <fmt/format.h>

#include <set>

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

namespace {

std::optional<AttrValue> attribute(const Graph& graph, const Node& node, const std::string& name) {
    if (const AttrValue* value = node.attrs.find(name))
        return *value;
    const Operator* op = graph.operators().find(node.op);
    return op == nullptr ? std::nullopt : op->attrDefault(name);
}

std::string valueName(const Graph& graph, ValueRef value) {
    return value.valid() ? graph.output(value).name : std::string("nothing");
}

// How two nodes of one name differ, empty if they do not.
std::string difference(const Graph& before, const Node& a, const Graph& after, const Node& b) {
    std::vector<std::string> out;
    const auto differ = [&](const std::string& what, const std::string& now,
                            const std::string& was) {
        out.push_back(fmt::format("{}{} instead of {}", what, now, was));
    };
    if (a.op != b.op)
        differ("", b.op, a.op);
    std::set<std::string> names;
    for (const auto& [name, value] : a.attrs)
        names.insert(name);
    for (const auto& [name, value] : b.attrs)
        names.insert(name);
    for (const std::string& name : names) {
        const auto was = attribute(before, a, name), now = attribute(after, b, name);
        if (was != now && a.op == b.op)
            differ(name + " = ", now ? attrText(*now) : "nothing",
                   was ? attrText(*was) : "nothing");
    }
    for (std::size_t i = 0; i < std::max(a.inputs.size(), b.inputs.size()); ++i) {
        const std::string was = i < a.inputs.size() ? valueName(before, a.inputs[i]) : "nothing";
        const std::string now = i < b.inputs.size() ? valueName(after, b.inputs[i]) : "nothing";
        if (was != now)
            differ("reads ", now, was);
    }
    for (std::size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i)
        if (!(a.outputs[i].type == b.outputs[i].type))
            differ("", b.outputs[i].type.text(), a.outputs[i].type.text());
    if (a.op == b.op && !sameData(a, b))
        out.push_back("other elements");
    if (a.op == b.op && a.bodies != b.bodies)
        out.push_back("other bodies");
    std::string text;
    for (const std::string& one : out)
        text += (text.empty() ? "" : ", ") + one;
    return text;
}

} // namespace

std::vector<NodeChange> diffByName(const Graph& before, const Graph& after) {
    const auto byName = [](const Graph& graph) {
        std::map<std::string, const Node*> out;
        for (const NodePtr& node : graph.nodes())
            out.emplace(node->name, node.get());
        return out;
    };
    const auto old = byName(before), now = byName(after);
    std::vector<NodeChange> out;
    for (const NodePtr& node : before.nodes())
        if (!now.contains(node->name))
            out.push_back(changeOf(Change::Removed, '-', *node));
    for (const NodePtr& node : after.nodes()) {
        const auto was = old.find(node->name);
        if (was == old.end()) {
            out.push_back(changeOf(Change::Added, '+', *node));
            continue;
        }
        const std::string text = difference(before, *was->second, after, *node);
        if (!text.empty())
            out.push_back({Change::Changed, node->id,
                           fmt::format("~ {} {}: {}", node->op, node->name, text)});
    }
    std::map<std::string, std::string> results;
    for (const NamedValue& result : before.results())
        results.emplace(result.name, valueName(before, result.value));
    for (const NamedValue& result : after.results())
        if (const auto was = results.find(result.name);
            was != results.end() && was->second != valueName(after, result.value))
            out.push_back({Change::Changed, result.value.node,
                           fmt::format("~ result {}: {} instead of {}", result.name,
                                       valueName(after, result.value), was->second)});
    return out;
}

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
