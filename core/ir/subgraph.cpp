#include "ir/subgraph.h"

#include "ir/bound_dims.h"
#include "ir/graph_text.h"

#include <set>

namespace fw {

namespace {

// Backward from the results; a stack of its own, since a model may be one long chain.
std::set<NodeId> needed(const Graph& graph, const std::set<ValueRef>& cut,
                        const std::vector<NamedValue>& results, BoundDims bound) {
    std::set<NodeId> out;
    std::vector<ValueRef> open;
    const auto binders =
        bound == BoundDims::Computed ? bindersOf(graph) : std::map<Symbol, NodeId>();
    for (const NamedValue& result : results)
        open.push_back(result.value);
    while (!open.empty()) {
        const ValueRef value = open.back();
        open.pop_back();
        if (!value.valid() || cut.contains(value) || !out.insert(value.node).second)
            continue;
        const Node& node = graph.node(value.node);
        open.insert(open.end(), node.inputs.begin(), node.inputs.end());
        if (!binders.empty())
            for (const Symbol dim : dimsIn(node))
                if (const auto binder = binders.find(dim); binder != binders.end())
                    open.push_back({binder->second, 0});
    }
    return out;
}

// Copies nodes of one graph into an editor, in topological order.
class Copy {
public:
    explicit Copy(const Graph& from) : m_from(from), m_editor(from.operatorSet(), from.name()) {}

    void input(ValueRef value, TensorType type) {
        m_moved.emplace(value, m_editor.addInput(m_from.output(value).name, std::move(type)));
    }
    void constant(const Node& node, TensorData data) {
        m_moved.emplace(ValueRef{node.id, 0},
                        m_editor.addConstant(node.outputs[0].name, std::move(data), node.origins));
    }
    // What an operator declares of its results is inferred anew, but for unknown ones.
    Status call(const Node& node) {
        GraphEditor::NewNode copy;
        copy.op = node.op;
        copy.attrs = node.attrs;
        copy.name = node.name;
        copy.origins = node.origins;
        copy.bodies = node.bodies;
        for (const ValueRef& input : node.inputs)
            copy.inputs.push_back(input.valid() ? m_moved.at(input) : ValueRef{});
        for (const Output& output : node.outputs) {
            copy.outputNames.push_back(output.name);
            copy.declaredTypes.push_back(output.type);
        }
        FW_TRY(const std::vector<ValueRef> made, m_editor.add(std::move(copy)));
        for (std::size_t i = 0; i < made.size(); ++i)
            m_moved.emplace(ValueRef{node.id, static_cast<int>(i)}, made[i]);
        return {};
    }
    Result<GraphPtr> finish(const std::vector<NamedValue>& results) {
        for (const NamedValue& result : results)
            m_editor.addResult(result.name, m_moved.at(result.value));
        return m_editor.finish();
    }

private:
    const Graph& m_from;
    GraphEditor m_editor;
    std::map<ValueRef, ValueRef> m_moved;
};

} // namespace

Result<GraphPtr> partOf(const Graph& graph, const std::vector<ValueRef>& inputs,
                        const std::vector<NamedValue>& results, BoundDims bound) {
    Copy copy(graph);
    for (const ValueRef& input : inputs)
        copy.input(input, graph.type(input));
    const std::set<NodeId> nodes =
        needed(graph, std::set<ValueRef>(inputs.begin(), inputs.end()), results, bound);
    for (const NodePtr& node : graph.nodes()) {
        if (!nodes.contains(node->id))
            continue;
        if (node->isInput())
            copy.input({node->id, 0}, node->outputs[0].type);
        else if (node->isConstant())
            copy.constant(*node, *node->data);
        else
            FW_CHECK(copy.call(*node));
    }
    return copy.finish(results);
}

Result<GraphPtr> refilled(const Graph& graph, const Refilling& with) {
    Copy copy(graph);
    for (const NodeId id : graph.inputs()) {
        const Node& node = graph.node(id);
        copy.input({id, 0}, with.input ? with.input(node) : node.outputs[0].type);
    }
    for (const NodePtr& node : graph.nodes()) {
        if (node->isConstant())
            copy.constant(*node, with.constant ? with.constant(*node) : *node->data);
        else if (!node->isInput())
            FW_CHECK(copy.call(*node));
    }
    return copy.finish(graph.results());
}

Result<GraphPtr> boundTo(const Graph& graph, const std::map<std::string, std::int64_t>& dims) {
    GraphTextOptions options;
    options.constants = constantsOf(graph);
    options.dims = dims;
    return parseGraph(printGraph(graph), graph.operatorSet(), options);
}

} // namespace fw
