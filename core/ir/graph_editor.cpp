#include "ir/graph_order.h"
#include "ir/missing_type.h"
#include "ir/typed_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fw {

namespace {

// What is made of what was made, again and again, would have a number behind every number.
std::string_view withoutNumbers(std::string_view name) {
    constexpr std::size_t longest = 200;
    const std::size_t end = name.find_last_not_of("0123456789_");
    return name.size() > longest ? name.substr(0, end + 1) : name;
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

std::size_t at(NodeId id) {
    return static_cast<std::size_t>(id);
}

} // namespace

GraphEditor::GraphEditor(std::shared_ptr<const OperatorSet> operators, std::string name)
    : m_namesKnown(true) {
    m_graph.m_operators = std::move(operators);
    m_graph.m_name = std::move(name);
}

GraphEditor::GraphEditor(const Graph& base) {
    m_graph.m_name = base.m_name;
    m_graph.m_operators = base.m_operators;
    m_graph.m_inputs = base.m_inputs;
    m_graph.m_results = base.m_results;
    m_graph.m_assumptions = base.m_assumptions;
    m_graph.m_nextId = base.m_nextId;
    m_graph.m_byId = base.m_byId;
    m_graph.m_nodes = base.m_nodes;
    m_isSorted = true;
    const std::size_t ids = m_graph.m_byId.size();
    m_rank.resize(ids);
    m_typed.assign(ids, true);
    m_ownedIn.resize(ids);
    for (std::size_t place = 0; place < base.m_nodes.size(); ++place)
        m_rank[at(base.m_nodes[place]->id)] = static_cast<std::int64_t>(place);
}

void GraphEditor::grow(NodeId id) {
    const std::size_t ids = at(id) + 1;
    if (ids <= m_graph.m_byId.size())
        return;
    m_graph.m_byId.resize(ids);
    m_rank.resize(ids);
    m_typed.resize(ids);
    m_ownedIn.resize(ids);
    if (m_readersKnown) {
        m_graph.m_firstValue.resize(ids, nowhere);
        m_placed.resize(ids);
    }
}

// Its names are taken already.
void GraphEditor::keep(std::shared_ptr<Node> node, bool typed) {
    const NodeId id = node->id;
    grow(id);
    m_rank[at(id)] = id;
    m_typed[at(id)] = typed;
    m_ownedIn[at(id)] = m_bundle;
    m_isSorted = false;
    if (m_inStep)
        m_before.emplace(id, nullptr);
    m_graph.m_byId[at(id)] = std::move(node);
    if (m_readersKnown)
        linkAll(*m_graph.m_byId[at(id)]);
    if (m_inStep)
        m_perhapsUnused.push_back(id);
}

bool GraphEditor::isOwned(NodeId id) const {
    return m_ownedIn[at(id)] == m_bundle;
}

Node& GraphEditor::own(NodeId id) {
    NodePtr& place = m_graph.m_byId.at(at(id));
    if (!isOwned(id)) {
        if (m_inStep)
            m_before.emplace(id, place);
        place = std::make_shared<Node>(*place);
        m_ownedIn[at(id)] = m_bundle;
    }
    m_isSorted = false;               // its operands may change
    return const_cast<Node&>(*place); // made here or in keep(), not const
}

void GraphEditor::drop(NodeId id, Names names) {
    const NodePtr gone = std::exchange(m_graph.m_byId[at(id)], nullptr);
    if (m_inStep)
        m_before.emplace(id, gone);
    if (m_readersKnown)
        unlinkAll(*gone);
    if (m_namesKnown && names == Names::Free)
        freeNames(*gone);
    m_isSorted = false;
}

void GraphEditor::knowReaders() {
    if (m_readersKnown)
        return;
    m_readersKnown = true;
    m_placed.resize(m_graph.m_byId.size());
    std::size_t values = 0;
    for (const NodePtr& node : m_graph.m_byId)
        values += node ? node->outputs.size() : 0;
    m_readers.reserve(values);
    m_graph.m_firstValue.assign(m_graph.m_byId.size(), nowhere);
    for (const NodePtr& node : m_graph.m_byId)
        if (node)
            linkAll(*node);
}

void GraphEditor::linkAll(const Node& node) {
    std::size_t& first = m_graph.m_firstValue[at(node.id)];
    if (first == nowhere) {
        first = m_readers.size();
        m_readers.resize(first + node.outputs.size());
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        link(node.id, i, node.inputs[i]);
}

void GraphEditor::unlinkAll(const Node& node) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        unlink(node.id, i, node.inputs[i]);
}

void GraphEditor::link(NodeId reader, std::size_t operand, ValueRef value) {
    std::vector<std::uint32_t>& placed = m_placed[at(reader)];
    if (operand >= placed.size())
        placed.resize(operand + 1, unlinked);
    placed[operand] = unlinked;
    const Node* producer = value.valid() ? find(value.node) : nullptr;
    if (producer == nullptr)
        return; // it was removed, which finish() says
    std::size_t& first = m_graph.m_firstValue[at(value.node)];
    if (first == nowhere) { // read before its own turn
        first = m_readers.size();
        m_readers.resize(first + producer->outputs.size());
    }
    std::vector<Use>& readers = m_readers[first + at(value.output)];
    placed[operand] = static_cast<std::uint32_t>(readers.size());
    readers.push_back({reader, operand});
}

void GraphEditor::unlink(NodeId reader, std::size_t operand, ValueRef value) {
    const std::uint32_t place = m_placed[at(reader)][operand];
    if (place == unlinked)
        return;
    std::vector<Use>& readers = m_readers[m_graph.m_firstValue[at(value.node)] + at(value.output)];
    readers[place] = readers.back();
    m_placed[at(readers[place].node)][readers[place].operand] = place;
    readers.pop_back();
    if (m_inStep && readers.empty())
        m_perhapsUnused.push_back(value.node);
}

void GraphEditor::handOver(NodeId reader, std::size_t operand, ValueRef to) {
    ValueRef& input = own(reader).inputs[operand];
    unlink(reader, operand, input);
    input = to;
    link(reader, operand, to);
}

const Graph& GraphEditor::graph() {
    knowReaders();
    m_graph.m_editor = this;
    return m_graph;
}

void GraphEditor::knowNames() {
    if (std::exchange(m_namesKnown, true))
        return;
    for (const NodePtr& node : m_graph.m_byId)
        if (node)
            takeNames(*node);
}

void GraphEditor::takeNames(const Node& node) {
    const auto take = [&](const std::string& name) {
        if (m_names.contains(name))
            return;
        char* const text = static_cast<char*>(m_nameMemory.allocate(name.size() + 1, 1));
        std::copy(name.begin(), name.end(), text);
        m_names.insert(std::string_view(text, name.size()));
    };
    take(node.name);
    for (const Output& output : node.outputs)
        take(output.name);
}

void GraphEditor::freeNames(const Node& node) {
    m_names.erase(node.name);
    for (const Output& output : node.outputs)
        m_names.erase(output.name);
}

void GraphEditor::giveName(std::string& place, const std::string& wish) {
    knowNames();
    place = wish;
    if (m_names.contains(place)) {
        const std::string base(withoutNumbers(wish));
        int& number = m_numbers[base];
        do
            place = fmt::format("{}_{}", base, ++number);
        while (m_names.contains(place));
    }
    char* const text = static_cast<char*>(m_nameMemory.allocate(place.size() + 1, 1));
    std::copy(place.begin(), place.end(), text);
    m_names.insert(std::string_view(text, place.size()));
}

ValueRef GraphEditor::addInput(const std::string& name, TensorType type) {
    auto node = std::make_shared<Node>();
    node->id = m_graph.m_nextId++;
    node->op = "input";
    giveName(node->name, name);
    node->outputs = {{node->name, std::move(type)}};
    node->origins = {node->id};
    m_graph.m_inputs.push_back(node->id);
    const NodeId id = node->id;
    keep(std::move(node), true);
    return {id, 0};
}

ValueRef GraphEditor::addConstant(const std::string& name, TensorData data,
                                  std::vector<NodeId> origins) {
    auto node = std::make_shared<Node>();
    node->id = m_graph.m_nextId++;
    node->op = "constant";
    giveName(node->name, name);
    node->outputs = {{node->name, data.type()}};
    node->origins = origins.empty() ? std::vector{node->id} : std::move(origins);
    node->data = std::make_shared<const TensorData>(std::move(data));
    const NodeId id = node->id;
    keep(std::move(node), true);
    return {id, 0};
}

namespace {

// What inference is asked about a node that is not in the graph yet.
OpCall callFor(const Node& node, std::vector<TensorType> declared, const GraphEditor& editor) {
    OpCall call;
    call.attrs = node.attrs;
    call.inputs.reserve(node.inputs.size());
    for (const ValueRef& input : node.inputs)
        call.inputs.push_back(input.valid() ? std::optional(editor.type(input)) : std::nullopt);
    call.declared = std::move(declared);
    const std::int64_t runs = node.attrs.integer("runs", 0);
    if (node.isCall() && runs >= 0 && static_cast<std::size_t>(runs) < node.bodies.size()) {
        const Graph& body = *node.called().graph;
        call.declared.clear();
        for (const NamedValue& result : body.results())
            call.declared.push_back(body.type(result.value));
    }
    return call;
}

} // namespace

Result<std::vector<ValueRef>> GraphEditor::add(NewNode wish) {
    const Operator* op = m_graph.m_operators->find(wish.op);
    auto node = std::make_shared<Node>();
    node->op = wish.op;
    node->inputs = std::move(wish.inputs);
    node->attrs = std::move(wish.attrs);
    node->bodies = std::move(wish.bodies);
    const std::string name = wish.name.empty() ? wish.op : wish.name;
    if (op == nullptr)
        return makeDiag(DiagCode::UnknownOperator, "no operator is named " + wish.op, {{}, name});
    typeReals(node->attrs, *op);
    for (const ValueRef& input : node->inputs)
        if (input.valid() && find(input.node) == nullptr)
            throw InternalError("an operand of " + name + " is not in the graph");
    const OpCall call = callFor(*node, std::move(wish.declaredTypes), *this);
    Result<Inferred> inferred = op->infer(call);
    if (!inferred)
        return inferred.takeDiag().at({{}, name});
    node->id = m_graph.m_nextId++;
    giveName(node->name, name);
    for (const Assumption& assumption : inferred->assumptions)
        if (!contains(m_graph.m_assumptions, assumption)) {
            addNew(m_demands, assumption, node->name);
            if (m_inStep)
                addNew(m_stepAssumptions, assumption, node->name);
        }
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
    keep(std::move(node), m_inStep || inferred->assumptions.empty());
    return out;
}

void GraphEditor::addResult(const std::string& name, ValueRef value) {
    m_graph.m_results.push_back({name, value});
}

void GraphEditor::replaceUses(ValueRef from, ValueRef to) {
    knowReaders();
    const bool sameType = has(from.node) && has(to.node) && type(from) == type(to);
    if (!sameType && !m_inStep)
        m_typed.assign(m_typed.size(), false);
    if (m_inStep)
        m_handedRank = std::max(m_handedRank, rank(from.node));
    if (m_graph.m_firstValue.at(at(from.node)) != nowhere) {
        // In the order in which they read it.
        const std::vector<Use> readers =
            m_readers[m_graph.m_firstValue[at(from.node)] + at(from.output)];
        for (const Use& use : readers) {
            if (use.node == to.node)
                continue;
            handOver(use.node, use.operand, to);
            if (m_inStep)
                m_handedReaders.emplace_back(use.node, to.node);
            if (!sameType)
                m_otherTypes.push_back(use.node);
        }
    }
    for (std::size_t i = 0; i < m_graph.m_results.size(); ++i)
        if (ValueRef& result = m_graph.m_results[i].value; result == from) {
            if (m_inStep) {
                m_handedResults.push_back({i, from, to});
                m_perhapsUnused.push_back(from.node);
            }
            result = to;
        }
}

void GraphEditor::replaceUses(const std::map<ValueRef, ValueRef>& with) {
    knowReaders();
    for (std::size_t id = 0; id < m_graph.m_byId.size(); ++id) {
        const NodePtr node = m_graph.m_byId[id];
        for (std::size_t i = 0; node && i < node->inputs.size(); ++i)
            if (const auto found = with.find(node->inputs[i]); found != with.end()) {
                handOver(node->id, i, found->second);
                m_typed[id] = false;
            }
    }
    for (NamedValue& result : m_graph.m_results)
        if (const auto found = with.find(result.value); found != with.end())
            result.value = found->second;
}

void GraphEditor::setOrder(const std::vector<NodeId>& order) {
    for (std::size_t place = 0; place < order.size(); ++place)
        m_rank.at(at(order[place])) = static_cast<std::int64_t>(place);
    m_isSorted = false;
}

void GraphEditor::remove(NodeId id) {
    const Node* node = find(id);
    if (node == nullptr)
        return;
    if (m_inStep) {
        knowNames();
        freeNames(*node);
        m_going.push_back(id);
        return;
    }
    knowReaders(); // who reads it is asked when another value takes its place
    if (node->isInput())
        std::erase(m_graph.m_inputs, id);
    drop(id);
}

void GraphEditor::removeUnused() {
    std::vector<bool> needed(m_graph.m_byId.size(), false);
    const Binders binders = bindersAmong(m_graph.m_byId, m_graph.operators());
    std::vector<NodeId> open = m_graph.m_inputs;
    for (const NamedValue& result : m_graph.m_results)
        open.push_back(result.value.node);
    for (const NodePtr& node : m_graph.m_byId)
        if (node && isForeignInput(*node))
            open.push_back(node->id);
    if (!binders.empty())
        for (const Assumption& assumption : m_graph.m_assumptions)
            for (const Symbol dim : freeVars(assumption.condition))
                if (const auto binder = binders.find(dim); binder != binders.end())
                    open.push_back(binder->second);
    while (!open.empty()) {
        const Node* node = find(open.back());
        open.pop_back();
        if (node == nullptr || needed[at(node->id)])
            continue;
        needed[at(node->id)] = true;
        for (const ValueRef& input : node->inputs)
            if (input.valid())
                open.push_back(input.node);
        addBindersOf(*node, binders, open);
    }
    for (std::size_t id = 0; id < m_graph.m_byId.size(); ++id)
        if (m_graph.m_byId[id] && !needed[id])
            drop(static_cast<NodeId>(id));
}

void GraphEditor::setOrigins(NodeId node, std::vector<NodeId> origins) {
    if (!std::is_sorted(origins.begin(), origins.end()))
        std::sort(origins.begin(), origins.end());
    origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
    own(node).origins = std::move(origins);
}

void GraphEditor::setBodies(NodeId node, std::vector<Body> bodies) {
    own(node).bodies = std::move(bodies);
}

void GraphEditor::assume(Assumption assumption) {
    addNew(m_graph.m_assumptions, std::move(assumption), {});
}

const TensorType& GraphEditor::type(ValueRef value) const {
    const Node* node = find(value.node);
    if (node == nullptr)
        throw InternalError("a value that is not in the graph");
    return node->outputs.at(at(value.output)).type;
}

Result<std::vector<NodeId>> GraphEditor::sorted() const {
    std::vector<std::pair<std::int64_t, NodeId>> ranked;
    ranked.reserve(m_graph.m_byId.size());
    for (const NodePtr& node : m_graph.m_byId)
        if (node)
            ranked.emplace_back(m_rank[at(node->id)], node->id);
    if (!std::is_sorted(ranked.begin(), ranked.end()))
        std::sort(ranked.begin(), ranked.end());
    std::vector<NodeId> wish = m_graph.m_inputs;
    wish.reserve(wish.size() + ranked.size());
    for (const auto& [rank, id] : ranked)
        wish.push_back(id);
    return inOrder(m_graph.m_byId, wish, m_graph.operators());
}

void Graph::sortEdited() const {
    m_editor->sort();
}

void GraphEditor::sort() {
    if (m_isSorted)
        return;
    Result<std::vector<NodeId>> order = sorted();
    if (!order)
        throw InternalError(order.diag().message);
    m_graph.m_nodes.clear();
    for (const NodeId id : *order)
        m_graph.m_nodes.push_back(m_graph.m_byId[at(id)]);
    m_isSorted = true;
}

Result<GraphPtr> GraphEditor::finish(Origins origins) {
    FW_TRY(const std::vector<NodeId> order, sorted());
    m_graph.m_nodes.clear();
    m_graph.m_nodes.reserve(order.size());
    for (const NodeId id : order) {
        if (!m_typed[at(id)] && !find(id)->isLeaf()) {
            FW_TRY(Inferred inferred, infer(*find(id)));
            for (Assumption& assumption : inferred.assumptions)
                addNew(m_graph.m_assumptions, std::move(assumption), find(id)->name);
            Node& node = own(id);
            for (std::size_t i = 0; i < node.outputs.size(); ++i)
                node.outputs[i].type = std::move(inferred.outputs[i]);
        }
        if (origins == Origins::Fresh)
            own(id).origins = {id};
        m_graph.m_nodes.push_back(m_graph.m_byId[at(id)]);
    }
    m_graph.m_editor = nullptr;
    m_graph.collectUses();
    if (Diags problems = verify(m_graph); hasErrors(problems))
        return problems.front();
    return std::make_shared<const Graph>(std::move(m_graph));
}

Result<Inferred> GraphEditor::infer(const Node& node) const {
    Result<Inferred> out = m_graph.operators().find(node.op)->infer(callOf(m_graph, node));
    if (!out)
        return out.takeDiag().at({{}, node.name});
    if (out->outputs.size() != node.outputs.size())
        throw InternalError("inference of " + node.name + " changed the number of outputs");
    return out;
}

} // namespace fw
