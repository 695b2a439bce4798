#include "ir/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

bool isLeaf(const Node& node) {
    return node.isInput() || node.isConstant();
}

bool contains(const std::vector<Assumption>& list, const Assumption& assumption) {
    return std::any_of(list.begin(), list.end(), [&](const Assumption& known) {
        return known.condition == assumption.condition;
    });
}

void addNew(std::vector<Assumption>& list, Assumption assumption, const std::string& node) {
    if (contains(list, assumption))
        return;
    if (assumption.node.empty())
        assumption.node = node;
    list.push_back(std::move(assumption));
}

} // namespace

GraphEditor::GraphEditor(std::shared_ptr<const OperatorSet> operators, std::string name)
    : m_operators(std::move(operators)), m_name(std::move(name)) {}

GraphEditor::GraphEditor(const Graph& base)
    : m_operators(base.m_operators), m_name(base.m_name), m_inputs(base.m_inputs),
      m_results(base.m_results), m_assumptions(base.m_assumptions), m_nextId(base.m_nextId) {
    for (const NodePtr& node : base.m_nodes) {
        m_nodes.emplace(node->id, std::make_shared<Node>(*node));
        m_order.push_back(node->id);
        ++m_names[node->name];
        for (const Output& output : node->outputs)
            ++m_names[output.name];
    }
}

std::string GraphEditor::uniqueName(const std::string& wish) {
    std::string name = wish;
    for (int i = 1; m_names.contains(name); ++i)
        name = fmt::format("{}_{}", wish, i);
    m_names[name] = 1;
    return name;
}

ValueRef GraphEditor::addInput(const std::string& name, TensorType type) {
    auto node = std::make_shared<Node>();
    node->id = m_nextId++;
    node->op = "input";
    node->name = uniqueName(name);
    node->outputs = {{node->name, std::move(type)}};
    node->origins = {node->id};
    m_inputs.push_back(node->id);
    m_order.push_back(node->id);
    const NodeId id = node->id;
    m_nodes.emplace(id, std::move(node));
    return {id, 0};
}

ValueRef GraphEditor::addConstant(const std::string& name, TensorData data,
                                  std::vector<NodeId> origins) {
    auto node = std::make_shared<Node>();
    node->id = m_nextId++;
    node->op = "constant";
    node->name = uniqueName(name);
    node->outputs = {{node->name, data.type()}};
    node->origins = origins.empty() ? std::vector{node->id} : std::move(origins);
    node->data = std::make_shared<const TensorData>(std::move(data));
    m_order.push_back(node->id);
    const NodeId id = node->id;
    m_nodes.emplace(id, std::move(node));
    return {id, 0};
}

Result<std::vector<ValueRef>> GraphEditor::add(NewNode wish) {
    const Operator* op = m_operators->find(wish.op);
    auto node = std::make_shared<Node>();
    node->op = wish.op;
    node->inputs = std::move(wish.inputs);
    node->attrs = std::move(wish.attrs);
    node->bodies = std::move(wish.bodies);
    const std::string name = wish.name.empty() ? wish.op : wish.name;
    if (op == nullptr)
        return makeDiag(DiagCode::UnknownOperator, "no operator is named " + wish.op, {{}, name});
    for (const ValueRef& input : node->inputs)
        if (input.valid() && find(input.node) == nullptr)
            throw InternalError("an operand of " + name + " is not in the graph");
    for (TensorType& declared : wish.declaredTypes)
        node->outputs.push_back({{}, std::move(declared)});
    OpCall call;
    call.attrs = node->attrs;
    for (const ValueRef& input : node->inputs)
        call.inputs.push_back(input.valid() ? std::optional(type(input)) : std::nullopt);
    for (const Output& output : node->outputs)
        call.declared.push_back(output.type);
    Result<Inferred> inferred = op->infer(call);
    if (!inferred)
        return inferred.takeDiag().at({{}, name});
    node->id = m_nextId++;
    node->name = uniqueName(name);
    for (const Assumption& assumption : inferred->assumptions)
        if (!contains(m_assumptions, assumption))
            addNew(m_demands, assumption, node->name);
    node->outputs.clear();
    std::vector<ValueRef> out;
    const std::vector<std::string> formal = op->outputNames();
    for (std::size_t i = 0; i < inferred->outputs.size(); ++i) {
        std::string valueName = i < wish.outputNames.size() ? wish.outputNames[i] : std::string();
        if (valueName.empty())
            valueName =
                inferred->outputs.size() == 1
                    ? node->name + ".y"
                    : node->name + "." + (i < formal.size() ? formal[i] : std::to_string(i));
        node->outputs.push_back({uniqueName(valueName), std::move(inferred->outputs[i])});
        out.push_back({node->id, static_cast<int>(i)});
    }
    node->origins = wish.origins.empty() ? std::vector{node->id} : std::move(wish.origins);
    std::sort(node->origins.begin(), node->origins.end());
    node->origins.erase(std::unique(node->origins.begin(), node->origins.end()),
                        node->origins.end());
    m_order.push_back(node->id);
    const NodeId id = node->id;
    m_nodes.emplace(id, std::move(node));
    return out;
}

void GraphEditor::addResult(const std::string& name, ValueRef value) {
    m_results.push_back({name, value});
}

void GraphEditor::replaceUses(ValueRef from, ValueRef to) {
    for (auto& [id, node] : m_nodes)
        for (ValueRef& input : node->inputs)
            if (input == from && id != to.node)
                input = to;
    for (NamedValue& result : m_results)
        if (result.value == from)
            result.value = to;
}

void GraphEditor::remove(NodeId id) {
    if (const auto found = m_nodes.find(id); found != m_nodes.end()) {
        m_names.erase(found->second->name);
        for (const Output& output : found->second->outputs)
            m_names.erase(output.name);
        m_nodes.erase(found);
    }
    std::erase(m_order, id);
    std::erase(m_inputs, id);
}

void GraphEditor::removeUnused() {
    std::set<NodeId> needed(m_inputs.begin(), m_inputs.end());
    std::vector<NodeId> open;
    for (const NamedValue& result : m_results)
        open.push_back(result.value.node);
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        if (!needed.insert(id).second)
            continue;
        if (const auto found = m_nodes.find(id); found != m_nodes.end())
            for (const ValueRef& input : found->second->inputs)
                if (input.valid())
                    open.push_back(input.node);
    }
    std::erase_if(m_nodes, [&](const auto& item) { return !needed.contains(item.first); });
    std::erase_if(m_order, [&](NodeId id) { return !needed.contains(id); });
}

void GraphEditor::setOrigins(NodeId node, std::vector<NodeId> origins) {
    std::sort(origins.begin(), origins.end());
    origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
    m_nodes.at(node)->origins = std::move(origins);
}

void GraphEditor::assume(Assumption assumption) {
    addNew(m_assumptions, std::move(assumption), {});
}

const Node* GraphEditor::find(NodeId id) const {
    const auto found = m_nodes.find(id);
    return found == m_nodes.end() ? nullptr : found->second.get();
}

const TensorType& GraphEditor::type(ValueRef value) const {
    const Node* node = find(value.node);
    if (node == nullptr)
        throw InternalError("a value that is not in the graph");
    return node->outputs.at(static_cast<std::size_t>(value.output)).type;
}

Result<GraphPtr> GraphEditor::finish(Origins origins) {
    auto graph = std::make_shared<Graph>();
    graph->m_name = m_name;
    graph->m_operators = m_operators;
    graph->m_inputs = m_inputs;
    graph->m_results = m_results;
    graph->m_nextId = m_nextId;
    graph->m_assumptions = m_assumptions;

    // Kahn's algorithm, inputs first, then in the order of creation, so that an unchanged graph
    // keeps its order.
    std::map<NodeId, std::size_t> position;
    for (const NodeId id : m_inputs)
        position.emplace(id, position.size());
    for (const NodeId id : m_order)
        position.emplace(id, position.size());
    std::map<NodeId, std::size_t> waiting;
    std::map<NodeId, std::vector<NodeId>> consumers;
    std::set<std::pair<std::size_t, NodeId>> ready;
    for (const NodeId id : m_order) {
        std::set<NodeId> producers;
        for (const ValueRef& input : m_nodes.at(id)->inputs) {
            if (!input.valid())
                continue;
            if (!m_nodes.contains(input.node))
                return makeDiag(DiagCode::GraphInvalid, "an operand was removed",
                                {{}, m_nodes.at(id)->name});
            producers.insert(input.node);
        }
        waiting[id] = producers.size();
        for (const NodeId producer : producers)
            consumers[producer].push_back(id);
        if (producers.empty())
            ready.insert({position[id], id});
    }
    while (!ready.empty()) {
        const NodeId id = ready.begin()->second;
        ready.erase(ready.begin());
        const std::shared_ptr<Node> node = std::make_shared<Node>(*m_nodes.at(id));
        if (!isLeaf(*node)) {
            const Operator* op = m_operators->find(node->op);
            Result<Inferred> inferred = op->infer(callOf(*graph, *node));
            if (!inferred)
                return inferred.takeDiag().at({{}, node->name});
            for (Assumption& assumption : inferred->assumptions)
                addNew(graph->m_assumptions, std::move(assumption), node->name);
            if (inferred->outputs.size() != node->outputs.size())
                throw InternalError("inference of " + node->name +
                                    " changed the number of outputs");
            for (std::size_t i = 0; i < node->outputs.size(); ++i)
                node->outputs[i].type = std::move(inferred->outputs[i]);
        }
        if (origins == Origins::Fresh)
            node->origins = {id};
        graph->m_index[id] = graph->m_nodes.size();
        graph->m_nodes.push_back(node);
        for (std::size_t i = 0; i < node->inputs.size(); ++i)
            if (node->inputs[i].valid())
                graph->m_uses[node->inputs[i]].push_back({id, i});
        for (const NodeId consumer : consumers[id])
            if (--waiting[consumer] == 0)
                ready.insert({position[consumer], consumer});
    }
    if (graph->m_nodes.size() != m_nodes.size()) {
        for (const NodeId id : m_order)
            if (!graph->m_index.contains(id))
                return makeDiag(DiagCode::OnnxCycle, "the graph has a cycle",
                                {{}, m_nodes.at(id)->name},
                                "an operator may not depend on its own result");
    }
    if (Diags problems = verify(*graph); hasErrors(problems))
        return problems.front();
    return GraphPtr(graph);
}

} // namespace fw
