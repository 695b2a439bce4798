#include "session/part.h"

#include <set>

namespace fw {

namespace {

// Backward from the results; a stack of its own, since a model may be one long chain.
std::set<NodeId> needed(const Graph& graph, const std::set<ValueRef>& cut,
                        const std::vector<NamedValue>& results) {
    std::set<NodeId> out;
    std::vector<ValueRef> open;
    for (const NamedValue& result : results)
        open.push_back(result.value);
    while (!open.empty()) {
        const ValueRef value = open.back();
        open.pop_back();
        if (!value.valid() || cut.contains(value) || !out.insert(value.node).second)
            continue;
        const Node& node = graph.node(value.node);
        open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
    return out;
}

} // namespace

Result<GraphPtr> partOf(const Graph& graph, const std::vector<ValueRef>& inputs,
                        const std::vector<NamedValue>& results) {
    GraphEditor editor(graph.operatorSet(), graph.name());
    std::map<ValueRef, ValueRef> moved;
    for (const ValueRef& input : inputs)
        moved.emplace(input, editor.addInput(graph.output(input).name, graph.type(input)));
    const std::set<NodeId> nodes =
        needed(graph, std::set<ValueRef>(inputs.begin(), inputs.end()), results);
    for (const NodePtr& node : graph.nodes()) {
        if (!nodes.contains(node->id))
            continue;
        if (node->isInput()) {
            moved.emplace(ValueRef{node->id, 0},
                          editor.addInput(node->outputs[0].name, node->outputs[0].type));
            continue;
        }
        if (node->isConstant()) {
            moved.emplace(ValueRef{node->id, 0},
                          editor.addConstant(node->outputs[0].name, *node->data, node->origins));
            continue;
        }
        GraphEditor::NewNode copy;
        copy.op = node->op;
        copy.attrs = node->attrs;
        copy.name = node->name;
        copy.origins = node->origins;
        copy.bodies = node->bodies;
        for (const ValueRef& input : node->inputs)
            copy.inputs.push_back(input.valid() ? moved.at(input) : ValueRef{});
        for (const Output& output : node->outputs) {
            copy.outputNames.push_back(output.name);
            copy.declaredTypes.push_back(output.type);
        }
        FW_TRY(const std::vector<ValueRef> made, editor.add(std::move(copy)));
        for (std::size_t i = 0; i < made.size(); ++i)
            moved.emplace(ValueRef{node->id, static_cast<int>(i)}, made[i]);
    }
    for (const NamedValue& result : results)
        editor.addResult(result.name, moved.at(result.value));
    return editor.finish();
}

} // namespace fw
