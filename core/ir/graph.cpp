#include "ir/bound_dims.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory_resource>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_set>

namespace fw {

const Node* Graph::find(NodeId id) const {
    return id < 0 || static_cast<std::size_t>(id) >= m_byId.size()
               ? nullptr
               : m_byId[static_cast<std::size_t>(id)].get();
}

const Node& Graph::node(NodeId id) const {
    const Node* found = find(id);
    if (found == nullptr)
        throw InternalError("no node " + std::to_string(id) + " in graph " + m_name);
    return *found;
}

const Node* Graph::findByName(std::string_view name) const {
    for (const NodePtr& node : nodes())
        if (node->name == name)
            return node.get();
    for (const NodePtr& node : nodes())
        for (const Output& output : node->outputs)
            if (output.name == name)
                return node.get();
    return nullptr;
}

const Output& Graph::output(ValueRef value) const {
    const Node& producer = node(value.node);
    return producer.outputs.at(static_cast<std::size_t>(value.output));
}

std::span<const Use> Graph::uses(ValueRef value) const {
    const Node* producer = find(value.node);
    const auto output = static_cast<std::size_t>(value.output);
    if (producer == nullptr || value.output < 0 || output >= producer->outputs.size())
        return {};
    const std::size_t place = m_firstValue[static_cast<std::size_t>(value.node)] + output;
    if (m_editor != nullptr)
        return m_editor->m_readers[place];
    return std::span(m_uses).subspan(m_firstUse[place], m_firstUse[place + 1] - m_firstUse[place]);
}

void Graph::collectUses() {
    std::size_t values = 0;
    m_firstValue.clear();
    m_firstValue.reserve(m_byId.size());
    for (const NodePtr& node : m_byId) {
        m_firstValue.push_back(values);
        values += node ? node->outputs.size() : 0;
    }
    const auto each = [&](const auto& visit) {
        for (const NodePtr& node : m_nodes)
            for (std::size_t i = 0; i < node->inputs.size(); ++i)
                if (const ValueRef input = node->inputs[i]; input.valid())
                    visit(m_firstValue[static_cast<std::size_t>(input.node)] +
                              static_cast<std::size_t>(input.output),
                          Use{node->id, i});
    };
    m_firstUse.assign(values + 2, 0); // of the value before it while they are put in place
    each([&](std::size_t value, Use) { ++m_firstUse[value + 2]; });
    std::partial_sum(m_firstUse.begin(), m_firstUse.end(), m_firstUse.begin());
    m_uses.resize(m_firstUse.back());
    each([&](std::size_t value, Use use) { m_uses[m_firstUse[value + 1]++] = use; });
    m_firstUse.pop_back();
}

bool Graph::isResult(ValueRef value) const {
    return std::any_of(m_results.begin(), m_results.end(),
                       [&](const NamedValue& r) { return r.value == value; });
}

std::vector<Symbol> Graph::freeDims() const {
    std::set<Symbol> dims;
    for (const NodePtr& node : nodes())
        for (const Output& output : node->outputs)
            for (const Dim& dim : output.type.shape)
                if (!dim.isInt())
                    dims.merge(freeVars(dim));
    for (const Assumption& assumption : m_assumptions)
        dims.merge(freeVars(assumption.condition));
    for (const Symbol& bound : boundDims())
        dims.erase(bound);
    return {dims.begin(), dims.end()};
}

std::vector<Symbol> Graph::boundDims() const {
    std::vector<Symbol> out;
    for (const NodePtr& node : nodes())
        for (const Symbol dim : dimsBoundBy(operators(), *node))
            out.push_back(dim);
    std::sort(out.begin(), out.end());
    return out;
}

const TensorData* Graph::constant(ValueRef value) const {
    const Node* producer = value.valid() ? find(value.node) : nullptr;
    return producer != nullptr && producer->isConstant() ? producer->data.get() : nullptr;
}

Hash Graph::hash() const {
    std::map<NodeId, std::size_t> place;
    std::string text = m_name;
    const auto addRef = [&](ValueRef value) {
        text += value.valid() ? " %" + std::to_string(place.at(value.node)) + "." +
                                    std::to_string(value.output)
                              : " -";
    };
    for (const NodePtr& node : nodes()) {
        place.emplace(node->id, place.size());
        text += "\n" + node->name + " " + node->op + " " + node->attrs.print();
        for (const ValueRef& input : node->inputs)
            addRef(input);
        for (const Output& output : node->outputs)
            text += " " + output.name + ":" + output.type.text();
        if (node->data)
            text += " " + node->data->hash().hex();
        for (const Body& body : node->bodies) {
            text += " " + body.name + " " + body.graph->hash().hex();
            for (const int operand : body.operands)
                text += " " + std::to_string(operand);
        }
    }
    for (const NamedValue& result : m_results) {
        text += "\n-> " + result.name;
        addRef(result.value);
    }
    for (const Assumption& assumption : m_assumptions)
        text += "\n? " + assumption.condition.text();
    return hashOf(text);
}

OpCall callOf(const Graph& graph, const Node& node) {
    OpCall call;
    call.attrs = node.attrs;
    call.inputs.reserve(node.inputs.size());
    for (const ValueRef& input : node.inputs)
        call.inputs.push_back(input.valid() ? std::optional(graph.type(input)) : std::nullopt);
    if (node.isLeaf() || node.isUnknown() || node.isCall())
        for (const Output& output : node.outputs)
            call.declared.push_back(output.type);
    return call;
}

bool Body::operator==(const Body& other) const {
    return name == other.name && operands == other.operands &&
           (graph == other.graph || graph->hash() == other.graph->hash());
}

const Body& Node::called() const {
    return bodies.at(static_cast<std::size_t>(attrs.integer("runs", 0)));
}

std::string Node::shownOp() const {
    return isUnknown() || isCall() ? attrs.text("op_type", op) : op;
}

namespace {

// Types may have been made up where nobody knows more, so extents are not compared.
bool agree(const TensorType& a, const TensorType& b) {
    return a.dtype == b.dtype && a.rank() == b.rank();
}

// What is wrong with a body; empty if nothing.
std::string fault(const Graph& graph, const Node& node, const Body& body) {
    if (!body.graph)
        return "has no graph";
    const std::vector<NodeId>& inputs = body.graph->inputs();
    if (body.operands.size() != inputs.size())
        return fmt::format("has {} inputs and operands for {}", inputs.size(),
                           body.operands.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const int operand = body.operands[i];
        const Output& input = body.graph->output({inputs[i], 0});
        if (operand == Body::givenByOperator && !node.isCall())
            continue;
        if (operand < 0 || static_cast<std::size_t>(operand) >= node.inputs.size() ||
            !node.inputs[static_cast<std::size_t>(operand)].valid())
            return fmt::format("reads operand {}, which is not there", operand);
        const TensorType& given = graph.type(node.inputs[static_cast<std::size_t>(operand)]);
        if (!agree(given, input.type))
            return fmt::format("takes {} as {}, which is {}", input.name, input.type.text(),
                               given.text());
    }
    return {};
}

std::string callFault(const Node& node) {
    const std::int64_t runs = node.attrs.integer("runs", 0);
    if (runs < 0 || static_cast<std::size_t>(runs) >= node.bodies.size())
        return "calls a body that it does not have";
    const Graph& body = *node.called().graph;
    if (body.results().size() != node.outputs.size())
        return fmt::format("has {} results, its body {}", node.outputs.size(),
                           body.results().size());
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (!agree(node.outputs[i].type, body.type(body.results()[i].value)))
            return fmt::format("gives {} as {}, its body gives {}", node.outputs[i].name,
                               node.outputs[i].type.text(),
                               body.type(body.results()[i].value).text());
    return {};
}

} // namespace

Diags verify(const Graph& graph) {
    Diags out;
    const auto bad = [&](const Node& node, const std::string& what) {
        out.push_back(makeDiag(DiagCode::GraphInvalid, what, {{}, node.name}));
    };
    std::vector<bool> seen(static_cast<std::size_t>(graph.nextId()), false);
    const auto isSeen = [&](NodeId id) {
        return id >= 0 && static_cast<std::size_t>(id) < seen.size() &&
               seen[static_cast<std::size_t>(id)];
    };
    std::pmr::monotonic_buffer_resource memory; // one piece, and nothing freed one by one
    std::pmr::unordered_set<std::string_view> names(&memory), values(&memory);
    names.reserve(graph.nodes().size());
    values.reserve(graph.nodes().size());
    const std::map<Symbol, NodeId> binders = bindersOf(graph);
    std::set<Symbol> bound;
    for (const NodePtr& node : graph.nodes()) {
        for (const Symbol dim : dimsBoundBy(graph.operators(), *node))
            if (!bound.insert(dim).second)
                bad(*node, "two nodes bind " + dim.text());
        if (!binders.empty())
            for (const Symbol dim : dimsIn(*node))
                if (binders.contains(dim) && !bound.contains(dim))
                    bad(*node, dim.text() + " is not bound before it");
        if (!names.insert(node->name).second)
            bad(*node, "two nodes have this name");
        for (const Output& output : node->outputs)
            if (!values.insert(output.name).second)
                bad(*node, "two values are named " + output.name);
        for (const ValueRef& input : node->inputs) {
            if (!input.valid())
                continue;
            if (!isSeen(input.node))
                bad(*node, "an operand is not computed before it");
            else if (static_cast<std::size_t>(input.output) >=
                     graph.node(input.node).outputs.size())
                bad(*node, "an operand names an output that does not exist");
        }
        if (node->isConstant() &&
            (!node->data || !(node->data->type() == node->outputs.at(0).type)))
            bad(*node, "a constant without data of its type");
        const std::size_t known = out.size();
        for (const Body& body : node->bodies)
            if (const std::string what = fault(graph, *node, body); !what.empty())
                bad(*node, "its body " + body.name + " " + what);
        if (node->isCall() && out.size() == known)
            if (const std::string what = callFault(*node); !what.empty())
                bad(*node, what);
        if (graph.operators().find(node->op) == nullptr)
            bad(*node, "no operator " + node->op);
        seen[static_cast<std::size_t>(node->id)] = true;
    }
    for (const NamedValue& result : graph.results())
        if (!isSeen(result.value.node))
            out.push_back(
                makeDiag(DiagCode::GraphInvalid, "result " + result.name + " is not computed"));
    return out;
}

} // namespace fw
