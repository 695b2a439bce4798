#include "ir/inline_calls.h"

#include <algorithm>

namespace fw {

namespace {

class Inliner {
public:
    explicit Inliner(const Graph& graph) : m_graph(graph), m_editor(graph) {}

    Result<GraphPtr> run() {
        for (const NodePtr& node : m_graph.nodes()) {
            if (!node->isCall()) {
                m_order.push_back(node->id);
                continue;
            }
            std::vector<ValueRef> operands;
            for (const ValueRef& input : node->inputs)
                operands.push_back(moved(input));
            m_editor.remove(node->id); // its names are free for its results
            std::vector<std::string> names;
            for (const Output& output : node->outputs)
                names.push_back(output.name);
            FW_TRY(const std::vector<ValueRef> results,
                   splice(node->called(), operands, names, node->name + "/", node->origins));
            for (std::size_t i = 0; i < results.size(); ++i)
                m_moved.emplace(ValueRef{node->id, static_cast<int>(i)}, results[i]);
        }
        m_editor.replaceUses(m_moved);
        m_editor.setOrder(m_order);
        m_editor.removeUnused();
        return m_editor.finish();
    }

private:
    ValueRef moved(ValueRef value) const {
        const auto found = m_moved.find(value);
        return found == m_moved.end() ? value : found->second;
    }

    // The results of the body, with `names` where it computes them.
    Result<std::vector<ValueRef>> splice(const Body& body, const std::vector<ValueRef>& operands,
                                         const std::vector<std::string>& names,
                                         const std::string& prefix,
                                         const std::vector<NodeId>& origins) {
        const Graph& graph = *body.graph;
        std::map<ValueRef, ValueRef> values;
        for (std::size_t i = 0; i < graph.inputs().size(); ++i)
            values[{graph.inputs()[i], 0}] =
                operands.at(static_cast<std::size_t>(body.operands.at(i)));
        std::map<ValueRef, std::string> results;
        for (std::size_t i = 0; i < graph.results().size() && i < names.size(); ++i)
            results.emplace(graph.results()[i].value, names[i]);
        for (const Assumption& assumption : graph.assumptions())
            m_editor.assume({assumption.condition, assumption.sentence, prefix + assumption.node});
        for (const NodePtr& node : graph.nodes()) {
            if (node->isInput())
                continue;
            std::vector<ValueRef> inputs;
            for (const ValueRef& input : node->inputs)
                inputs.push_back(input.valid() ? values.at(input) : ValueRef{});
            std::vector<std::string> outputNames;
            for (std::size_t i = 0; i < node->outputs.size(); ++i) {
                const auto result = results.find({node->id, static_cast<int>(i)});
                outputNames.push_back(result == results.end() ? prefix + node->outputs[i].name
                                                              : result->second);
            }
            std::vector<ValueRef> made;
            if (node->isConstant()) {
                made = {m_editor.addConstant(outputNames[0], *node->data, origins)};
                m_order.push_back(made[0].node);
            } else if (node->isCall()) {
                FW_TRY(made, splice(node->called(), inputs, outputNames, prefix + node->name + "/",
                                    origins));
            } else {
                GraphEditor::NewNode copy;
                copy.op = node->op;
                copy.inputs = std::move(inputs);
                copy.attrs = node->attrs;
                copy.name = prefix + node->name;
                copy.outputNames = std::move(outputNames);
                copy.origins = origins;
                copy.bodies = node->bodies;
                for (const Output& output : node->outputs)
                    copy.declaredTypes.push_back(output.type);
                m_order.push_back(m_editor.nextId());
                FW_TRY(made, m_editor.add(std::move(copy)));
            }
            for (std::size_t i = 0; i < made.size(); ++i)
                values[{node->id, static_cast<int>(i)}] = made[i];
        }
        std::vector<ValueRef> out;
        for (const NamedValue& result : graph.results())
            out.push_back(values.at(result.value));
        return out;
    }

    const Graph& m_graph;
    GraphEditor m_editor;
    std::map<ValueRef, ValueRef> m_moved; // results of calls
    std::vector<NodeId> m_order;
};

} // namespace

bool hasCalls(const Graph& graph) {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                       [](const NodePtr& node) { return node->isCall(); });
}

Result<GraphPtr> inlineCalls(const GraphPtr& graph) {
    return hasCalls(*graph) ? inlineCalls(*graph) : Result<GraphPtr>(graph);
}

Result<GraphPtr> inlineCalls(const Graph& graph) {
    return Inliner(graph).run();
}

} // namespace fw
