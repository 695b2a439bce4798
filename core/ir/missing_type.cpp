#include "ir/missing_type.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// Which of the two keys lists the value; nullptr if its type is known.
const char* keyOf(const Graph& graph, ValueRef value) {
    if (!value.valid() || !graph.node(value.node).isUnknown())
        return nullptr;
    const Node& node = graph.node(value.node);
    for (const char* key : {untypedOutputsKey, unrankedOutputsKey}) {
        const AttrValue* given = node.attrs.find(key);
        const auto* outputs = given != nullptr ? std::get_if<Integers>(given) : nullptr;
        if (outputs != nullptr &&
            std::find(outputs->begin(), outputs->end(), value.output) != outputs->end())
            return key;
    }
    return nullptr;
}

// The operands of an unknown node of which nothing is known; null: of all something is.
const Integers* untypedOperands(const Node& node) {
    const AttrValue* given = node.isUnknown() ? node.attrs.find("untyped_operands") : nullptr;
    return given != nullptr ? std::get_if<Integers>(given) : nullptr;
}

// Of which nothing is known though no node of the graph makes it: an input of a body.
ValueRef untypedInputOf(const Node& node) {
    const Integers* places = untypedOperands(node);
    if (places == nullptr || places->empty() || places->front() < 0 ||
        static_cast<std::size_t>(places->front()) >= node.inputs.size())
        return {};
    return node.inputs[static_cast<std::size_t>(places->front())];
}

bool isUntypedOperand(const Node& node, std::size_t operand) {
    const Integers* places = untypedOperands(node);
    return places != nullptr && std::find(places->begin(), places->end(),
                                          static_cast<std::int64_t>(operand)) != places->end();
}

// As keyOf(), also of what a function gives, and of inputs of bodies, of which who reads them
// knows.
const char* shownKeyOf(const Graph& graph, ValueRef value) {
    const Node& node = graph.node(value.node);
    if (node.isCall()) {
        const Graph& body = *node.called().graph;
        const auto place = static_cast<std::size_t>(value.output);
        return place < body.results().size() ? shownKeyOf(body, body.results()[place].value)
                                             : nullptr;
    }
    if (!node.isInput())
        return keyOf(graph, value);
    if (graph.type(value).rank() > 0) // what is made up has no dimension
        return nullptr;
    const auto uses = graph.uses(value);
    return std::any_of(
               uses.begin(), uses.end(),
               [&](const Use& use) { return isUntypedOperand(graph.node(use.node), use.operand); })
               ? untypedOutputsKey
               : nullptr;
}

constexpr std::string_view modelSaysNot = "the model does not say the"; // type of an input

std::string inputText(const Graph& graph, ValueRef input) {
    return fmt::format("{}, an input of the body whose type is not known",
                       graph.output(input).name);
}

bool isLeafOfKind(const Node& node, std::string_view kind) {
    return node.isUnknown() && node.inputs.empty() && node.outputs.size() == 1 &&
           node.attrs.text(leafKey, {}) == kind;
}

} // namespace

bool isForeignInput(const Node& node) {
    return isLeafOfKind(node, "input");
}

bool isForeignConstant(const Node& node) {
    return isLeafOfKind(node, "constant");
}

std::vector<NodeId> modelInputs(const Graph& graph) {
    std::vector<std::pair<std::int64_t, NodeId>> foreign;
    for (const NodePtr& node : graph.nodes())
        if (isForeignInput(*node))
            foreign.emplace_back(node->attrs.integer(placeKey, 0), node->id);
    if (foreign.empty())
        return graph.inputs();
    std::sort(foreign.begin(), foreign.end());
    std::vector<NodeId> out;
    auto next = foreign.begin();
    for (const NodeId input : graph.inputs()) {
        for (; next != foreign.end() && next->first <= static_cast<std::int64_t>(out.size());
             ++next)
            out.push_back(next->second);
        out.push_back(input);
    }
    for (; next != foreign.end(); ++next)
        out.push_back(next->second);
    return out;
}

std::string foreignType(const Node& node, int output) {
    const AttrValue* given = node.isUnknown() ? node.attrs.find(foreignTypesKey) : nullptr;
    const auto* types = given != nullptr ? std::get_if<Texts>(given) : nullptr;
    const auto place = static_cast<std::size_t>(output);
    return types != nullptr && output >= 0 && place < types->size() ? (*types)[place]
                                                                    : std::string();
}

std::string shownType(const Graph& graph, ValueRef value) {
    if (std::string out = foreignType(graph.node(value.node), value.output); !out.empty())
        return out;
    const char* missing = shownKeyOf(graph, value);
    if (missing == nullptr)
        return graph.type(value).text();
    return missing == untypedOutputsKey
               ? "unknown"
               : fmt::format("{}[...]", dtypeText(graph.type(value).dtype));
}

std::optional<MissingType> MissingTypes::find(ValueRef value) {
    const char* key = keyOf(m_graph, value);
    if (key == nullptr)
        return std::nullopt;
    // What reads such a value is not understood either: the first one is to blame.
    std::vector<ValueRef> way;
    std::shared_ptr<const MissingType> cause;
    for (ValueRef at = value; !cause;) {
        if (const auto known = m_causes.find(at); known != m_causes.end()) {
            cause = known->second;
            break;
        }
        way.push_back(at);
        const Node& node = m_graph.node(at.node);
        const auto before =
            std::find_if(node.inputs.begin(), node.inputs.end(),
                         [&](ValueRef input) { return keyOf(m_graph, input) != nullptr; });
        if (before != node.inputs.end()) {
            at = *before;
            continue;
        }
        const std::string& name = m_graph.output(at).name;
        const bool element = keyOf(m_graph, at) == untypedOutputsKey;
        const std::string foreign = foreignType(node, at.output);
        if (const ValueRef input = untypedInputOf(node); input.valid() && foreign.empty()) {
            cause = std::make_shared<const MissingType>(
                MissingType{element,
                            fmt::format("nothing infers the {} of {}: {} ({}) reads {}",
                                        element ? "type" : "shape", name, node.shownOp(), node.name,
                                        inputText(m_graph, input)),
                            name,
                            {}});
            continue;
        }
        cause = std::make_shared<const MissingType>(MissingType{
            element,
            foreign.empty() && isForeignInput(node)
                ? fmt::format("{} {} of its input {}", modelSaysNot, element ? "type" : "shape",
                              name)
            : foreign.empty()
                ? fmt::format("nothing infers the {} {}: {} ({}) is not known",
                              element ? "type of" : "shape of", name, node.shownOp(), node.name)
            : isForeignLeaf(node)
                ? fmt::format("the {} {} is {}", node.attrs.text(leafKey, {}), name, foreign)
                : fmt::format("{} is {} ({}, {})", name, foreign, node.shownOp(), node.name),
            name, foreign});
    }
    for (const ValueRef& one : way)
        m_causes.emplace(one, cause);
    MissingType out = *cause;
    out.element = out.element || out.value != m_graph.output(value).name;
    return out;
}

std::optional<Diag> MissingTypes::readBy(const Node& node) {
    if (!node.isUnknown())
        return std::nullopt;
    for (const ValueRef& input : node.inputs) {
        const auto missing = find(input);
        if (missing && !missing->foreign.empty())
            return makeDiag(DiagCode::TypeUnknown,
                            fmt::format("{} reads what nothing here computes with: {}",
                                        node.shownOp(), missing->why),
                            {{}, node.name}, "what does not depend on it runs");
        if (missing)
            return makeDiag(
                DiagCode::TypeUnknown,
                fmt::format("{} reads a value of unknown type: {}", node.shownOp(), missing->why),
                {{}, node.name},
                fmt::format("--type '{}=f32[N, 4]' would say what it is, {}", missing->value,
                            missing->why.starts_with(modelSaysNot)
                                ? "and so do data that are given for it"
                                : "an operator of a book what computes it"));
    }
    if (const ValueRef input = untypedInputOf(node); input.valid())
        return makeDiag(DiagCode::TypeUnknown,
                        fmt::format("{} reads {}", node.shownOp(), inputText(m_graph, input)),
                        {{}, node.name});
    return std::nullopt;
}

std::optional<MissingType> missingType(const Graph& graph, ValueRef value) {
    return MissingTypes(graph).find(value);
}

} // namespace fw
