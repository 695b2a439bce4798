#include "ir/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace fw {

namespace {

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
    m_nodes.resize(static_cast<std::size_t>(m_nextId));
    m_typed.resize(m_nodes.size());
    for (const NodePtr& shared : base.m_nodes) {
        auto node = std::make_shared<Node>(*shared);
        m_names.insert(node->name);
        for (const Output& output : node->outputs)
            m_names.insert(output.name);
        keep(std::move(node), true);
    }
}

void GraphEditor::keep(std::shared_ptr<Node> node, bool typed) {
    const auto place = static_cast<std::size_t>(node->id);
    if (place >= m_nodes.size()) {
        m_nodes.resize(place + 1);
        m_typed.resize(place + 1);
    }
    m_order.push_back(node->id);
    if (!m_readers.empty())
        addReader(*node);
    m_nodes[place] = std::move(node);
    m_typed[place] = typed;
}

void GraphEditor::addReader(const Node& node) {
    for (const ValueRef& input : node.inputs)
        if (input.valid()) {
            const auto place = static_cast<std::size_t>(input.node);
            if (place >= m_readers.size())
                m_readers.resize(place + 1);
            m_readers[place].push_back(node.id);
        }
}

void GraphEditor::drop(NodeId id) {
    std::shared_ptr<Node>& node = m_nodes[static_cast<std::size_t>(id)];
    m_names.erase(node->name);
    for (const Output& output : node->outputs)
        m_names.erase(output.name);
    node.reset();
}

void GraphEditor::giveName(std::string& place, const std::string& wish) {
    place = wish;
    if (m_names.insert(place).second)
        return;
    int& number = m_numbers[wish];
    do
        place = fmt::format("{}_{}", wish, ++number);
    while (!m_names.insert(place).second);
}

ValueRef GraphEditor::addInput(const std::string& name, TensorType type) {
    auto node = std::make_shared<Node>();
    node->id = m_nextId++;
    node->op = "input";
    giveName(node->name, name);
    node->outputs = {{node->name, std::move(type)}};
    node->origins = {node->id};
    m_inputs.push_back(node->id);
    const NodeId id = node->id;
    keep(std::move(node), true);
    return {id, 0};
}

ValueRef GraphEditor::addConstant(const std::string& name, TensorData data,
                                  std::vector<NodeId> origins) {
    auto node = std::make_shared<Node>();
    node->id = m_nextId++;
    node->op = "constant";
    giveName(node->name, name);
    node->outputs = {{node->name, data.type()}};
    node->origins = origins.empty() ? std::vector{node->id} : std::move(origins);
    node->data = std::make_shared<const TensorData>(std::move(data));
    const NodeId id = node->id;
    keep(std::move(node), true);
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
    OpCall call;
    call.attrs = node->attrs;
    call.inputs.reserve(node->inputs.size());
    for (const ValueRef& input : node->inputs)
        call.inputs.push_back(input.valid() ? std::optional(type(input)) : std::nullopt);
    call.declared = std::move(wish.declaredTypes);
    const std::int64_t runs = node->attrs.integer("runs", 0);
    if (node->isCall() && runs >= 0 && static_cast<std::size_t>(runs) < node->bodies.size()) {
        const Graph& body = *node->called().graph;
        call.declared.clear();
        for (const NamedValue& result : body.results())
            call.declared.push_back(body.type(result.value));
    }
    Result<Inferred> inferred = op->infer(call);
    if (!inferred)
        return inferred.takeDiag().at({{}, name});
    node->id = m_nextId++;
    giveName(node->name, name);
    for (const Assumption& assumption : inferred->assumptions)
        if (!contains(m_assumptions, assumption))
            addNew(m_demands, assumption, node->name);
    node->outputs.reserve(inferred->outputs.size()); // names lie where they stay
    std::vector<ValueRef> out;
    std::vector<std::string> formal;
    if (inferred->outputs.size() > 1)
        formal = op->outputNames();
    for (std::size_t i = 0; i < inferred->outputs.size(); ++i) {
        std::string valueName = i < wish.outputNames.size() ? wish.outputNames[i] : std::string();
        if (valueName.empty())
            valueName =
                inferred->outputs.size() == 1
                    ? node->name + ".y"
                    : node->name + "." + (i < formal.size() ? formal[i] : std::to_string(i));
        Output& output = node->outputs.emplace_back();
        giveName(output.name, valueName);
        output.type = std::move(inferred->outputs[i]);
        out.push_back({node->id, static_cast<int>(i)});
    }
    node->origins = wish.origins.empty() ? std::vector{node->id} : std::move(wish.origins);
    std::sort(node->origins.begin(), node->origins.end());
    node->origins.erase(std::unique(node->origins.begin(), node->origins.end()),
                        node->origins.end());
    keep(std::move(node), inferred->assumptions.empty());
    return out;
}

void GraphEditor::addResult(const std::string& name, ValueRef value) {
    m_results.push_back({name, value});
}

void GraphEditor::replaceUses(ValueRef from, ValueRef to) {
    if (const Node* old = find(from.node), *made = find(to.node);
        old == nullptr || made == nullptr || !(type(from) == type(to)))
        m_typed.assign(m_typed.size(), false);
    if (m_readers.empty()) {
        m_readers.resize(std::max<std::size_t>(m_nodes.size(), 1));
        for (const std::shared_ptr<Node>& node : m_nodes)
            if (node)
                addReader(*node);
    }
    if (static_cast<std::size_t>(std::max(from.node, to.node)) >= m_readers.size())
        m_readers.resize(static_cast<std::size_t>(std::max(from.node, to.node)) + 1);
    std::vector<NodeId> still; // that read what was there for another reason
    for (const NodeId id : std::exchange(m_readers[static_cast<std::size_t>(from.node)], {})) {
        const std::shared_ptr<Node>& node = m_nodes[static_cast<std::size_t>(id)];
        if (!node)
            continue;
        bool reads = false, handed = false;
        for (ValueRef& input : node->inputs) {
            if (input == from && id != to.node) {
                input = to;
                handed = true;
            }
            reads = reads || input.node == from.node;
        }
        if (handed)
            m_readers[static_cast<std::size_t>(to.node)].push_back(id);
        if (reads)
            still.push_back(id);
    }
    auto& left = m_readers[static_cast<std::size_t>(from.node)];
    left.insert(left.end(), still.begin(), still.end());
    for (NamedValue& result : m_results)
        if (result.value == from)
            result.value = to;
}

void GraphEditor::replaceUses(const std::map<ValueRef, ValueRef>& with) {
    const auto replace = [&](ValueRef& value) {
        const auto found = with.find(value);
        if (found != with.end())
            value = found->second;
        return found != with.end();
    };
    m_readers.clear();
    for (std::size_t id = 0; id < m_nodes.size(); ++id)
        if (m_nodes[id])
            for (ValueRef& input : m_nodes[id]->inputs)
                if (replace(input))
                    m_typed[id] = false;
    for (NamedValue& result : m_results)
        replace(result.value);
}

void GraphEditor::setOrder(std::vector<NodeId> order) {
    m_order = std::move(order);
}

void GraphEditor::remove(NodeId id) {
    const Node* node = find(id);
    if (node == nullptr)
        return;
    if (node->isInput())
        std::erase(m_inputs, id);
    drop(id);
}

void GraphEditor::removeUnused() {
    std::vector<bool> needed(m_nodes.size(), false);
    std::vector<NodeId> open = m_inputs;
    for (const NamedValue& result : m_results)
        open.push_back(result.value.node);
    while (!open.empty()) {
        const Node* node = find(open.back());
        open.pop_back();
        if (node == nullptr || needed[static_cast<std::size_t>(node->id)])
            continue;
        needed[static_cast<std::size_t>(node->id)] = true;
        for (const ValueRef& input : node->inputs)
            if (input.valid())
                open.push_back(input.node);
    }
    for (std::size_t id = 0; id < m_nodes.size(); ++id)
        if (m_nodes[id] && !needed[id])
            drop(static_cast<NodeId>(id));
}

void GraphEditor::setOrigins(NodeId node, std::vector<NodeId> origins) {
    std::sort(origins.begin(), origins.end());
    origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
    m_nodes.at(static_cast<std::size_t>(node))->origins = std::move(origins);
}

void GraphEditor::assume(Assumption assumption) {
    addNew(m_assumptions, std::move(assumption), {});
}

const Node* GraphEditor::find(NodeId id) const {
    return id < 0 || static_cast<std::size_t>(id) >= m_nodes.size()
               ? nullptr
               : m_nodes[static_cast<std::size_t>(id)].get();
}

const TensorType& GraphEditor::type(ValueRef value) const {
    const Node* node = find(value.node);
    if (node == nullptr)
        throw InternalError("a value that is not in the graph");
    return node->outputs.at(static_cast<std::size_t>(value.output)).type;
}

// Kahn's algorithm, inputs first, then in the order of creation, so that an unchanged graph keeps
// its order.
Result<std::vector<NodeId>> GraphEditor::sorted() const {
    std::vector<NodeId> wish; // by position
    wish.reserve(m_order.size());
    std::vector<std::size_t> position(m_nodes.size(), m_nodes.size());
    bool inOrder = true;
    for (const auto* list : {&m_inputs, &m_order})
        for (const NodeId id : *list)
            if (const Node* node = find(id);
                node != nullptr && position[static_cast<std::size_t>(id)] == m_nodes.size()) {
                for (const ValueRef& input : node->inputs)
                    inOrder = inOrder &&
                              (!input.valid() ||
                               (has(input.node) &&
                                position[static_cast<std::size_t>(input.node)] < m_nodes.size()));
                position[static_cast<std::size_t>(id)] = wish.size();
                wish.push_back(id);
            }
    if (inOrder)
        return wish;
    std::vector<std::size_t> waiting(wish.size(), 0);
    std::vector<std::vector<std::size_t>> consumers(wish.size());
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    std::vector<NodeId> producers;
    for (std::size_t at = 0; at < wish.size(); ++at) {
        const Node& node = *find(wish[at]);
        producers.clear();
        for (const ValueRef& input : node.inputs) {
            if (!input.valid())
                continue;
            if (!has(input.node))
                return makeDiag(DiagCode::GraphInvalid, "an operand was removed", {{}, node.name});
            producers.push_back(input.node);
        }
        std::sort(producers.begin(), producers.end());
        producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
        waiting[at] = producers.size();
        for (const NodeId producer : producers)
            consumers[position[static_cast<std::size_t>(producer)]].push_back(at);
        if (producers.empty())
            ready.push(at);
    }
    std::vector<NodeId> out;
    out.reserve(wish.size());
    while (!ready.empty()) {
        const std::size_t at = ready.top();
        ready.pop();
        out.push_back(wish[at]);
        for (const std::size_t consumer : consumers[at])
            if (--waiting[consumer] == 0)
                ready.push(consumer);
    }
    for (const NodeId id : m_order)
        if (has(id) && waiting[position[static_cast<std::size_t>(id)]] > 0)
            return makeDiag(DiagCode::OnnxCycle, "the graph has a cycle", {{}, find(id)->name},
                            "an operator may not depend on its own result");
    return out;
}

Result<GraphPtr> GraphEditor::finish(Origins origins) {
    FW_TRY(const std::vector<NodeId> order, sorted());
    auto graph = std::make_shared<Graph>();
    graph->m_name = m_name;
    graph->m_operators = m_operators;
    graph->m_inputs = m_inputs;
    graph->m_results = m_results;
    graph->m_nextId = m_nextId;
    graph->m_assumptions = m_assumptions;
    graph->m_index.assign(m_nodes.size(), -1);
    graph->m_nodes.reserve(order.size());
    for (const NodeId id : order) {
        const std::shared_ptr<Node> node = std::move(m_nodes[static_cast<std::size_t>(id)]);
        if (!node->isLeaf() && !m_typed[static_cast<std::size_t>(id)]) {
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
        graph->m_index[static_cast<std::size_t>(id)] =
            static_cast<std::int32_t>(graph->m_nodes.size());
        graph->m_nodes.push_back(node);
    }
    graph->collectUses();
    if (Diags problems = verify(*graph); hasErrors(problems))
        return problems.front();
    return GraphPtr(graph);
}

} // namespace fw
