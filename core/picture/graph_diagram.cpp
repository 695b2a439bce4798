#include "picture/graph_diagram.h"

#include "snapshot/time_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <unordered_map>

namespace fw::picture {

using snapshot::GraphDocument;
using snapshot::InputRef;
using snapshot::NodeId;
using snapshot::NodeRecord;

std::string shapeLabel(const std::string& type) {
    const std::size_t open = type.find('[');
    if (open == std::string::npos || type.back() != ']')
        return type;
    const std::string dtype = type.substr(0, open);
    std::string dims;
    int depth = 0; // commas inside a dim's expression stay
    for (const char c : type.substr(open + 1, type.size() - open - 2)) {
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (c == ',' && depth == 0)
            dims += "×";
        else if (c != ' ' || depth > 0)
            dims += c;
    }
    if (dims.empty())
        return dtype;
    return dtype == "f32" ? dims : dtype + " " + dims;
}

Diagram diagramOf(const GraphDocument& graph, const DiagramOptions& options) {
    Diagram out;
    out.name = graph.name;
    std::unordered_map<NodeId, const NodeRecord*> byId;
    for (const NodeRecord& node : graph.nodes)
        byId.emplace(node.id, &node);

    std::map<int, Implementation> implementations;
    for (const auto& group : graph.groups) {
        Container container;
        container.id = group.id;
        container.title = group.name;
        container.implementation = implementationOf(group.implementation);
        if (const auto text = options.groupTexts.find(group.id); text != options.groupTexts.end())
            container.right = text->second;
        else if (group.estUs && *group.estUs >= 0.5) // views cost nothing
            container.right = "≈ " + snapshot::timeText(*group.estUs);
        implementations[group.id] = container.implementation;
        out.containers.push_back(std::move(container));
    }

    const auto edge = [&](const InputRef& from, NodeId to, std::size_t port) {
        const auto maker = byId.find(from.node);
        if (maker == byId.end() || maker->second->constant)
            return;
        Edge made;
        made.from = from.node;
        made.fromPort = from.output;
        made.to = to;
        made.toPort = static_cast<std::int32_t>(port);
        const auto& outputs = maker->second->outputs;
        if (from.output >= 0 && static_cast<std::size_t>(from.output) < outputs.size())
            made.label = shapeLabel(outputs[static_cast<std::size_t>(from.output)].type);
        out.edges.push_back(std::move(made));
    };
    for (const NodeRecord& node : graph.nodes) {
        if (node.constant)
            continue;
        Box box;
        box.id = node.id;
        box.title = node.op;
        box.subtitle = node.name;
        if (node.op == "input") {
            box.role = BoxRole::Input;
            if (!node.outputs.empty())
                box.subtitle = node.outputs[0].name + "  " + node.outputs[0].type;
        } else if (node.unsupported) {
            box.role = BoxRole::Unknown;
        }
        if (implementations.contains(node.group))
            box.container = node.group;
        if (options.attributeLine && box.role == BoxRole::Operator)
            for (const auto& [name, value] : node.attributes)
                box.lines.push_back(options.attributeLine(name, value));
        out.boxes.push_back(std::move(box));
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            edge(node.inputs[i], node.id, i);
    }
    NodeId resultId = firstResultBox;
    for (const InputRef& result : graph.results) {
        const auto maker = byId.find(result.node);
        if (maker == byId.end())
            continue;
        Box box;
        box.id = resultId;
        box.title = "output";
        box.role = BoxRole::Output;
        box.subtitle = result.name;
        const auto& outputs = maker->second->outputs;
        if (result.output >= 0 && static_cast<std::size_t>(result.output) < outputs.size())
            box.subtitle += "  " + outputs[static_cast<std::size_t>(result.output)].type;
        out.boxes.push_back(std::move(box));
        edge(result, resultId, 0);
        --resultId;
    }
    return out;
}

std::int64_t boxOf(const snapshot::JointGraph& joint, JointSide side, std::size_t node) {
    const snapshot::JointNode& both = joint.nodes[node];
    const NodeId id = side == JointSide::Left ? both.left : both.right;
    return id != snapshot::noNode ? id : absentBox - static_cast<std::int64_t>(node);
}

Diagram diagramOf(const snapshot::JointGraph& joint, JointSide side,
                  const DiagramOptions& options) {
    Diagram out = diagramOf(joint.graph, options);
    const auto rename = [&](std::int64_t& id) {
        if (id >= 0) // no result
            id = boxOf(joint, side, static_cast<std::size_t>(id));
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
