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

} // namespace

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
        cause = std::make_shared<const MissingType>(MissingType{
            element,
            fmt::format("nothing infers the {} {}: {} ({}) is not known",
                        element ? "type of" : "shape of", name, node.shownOp(), node.name),
            name});
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
    for (const ValueRef& input : node.inputs)
        if (const auto missing = find(input))
            return makeDiag(
                DiagCode::TypeUnknown,
                fmt::format("{} reads a value of unknown type: {}", node.shownOp(), missing->why),
                {{}, node.name},
                fmt::format(
                    "--type '{}=f32[N, 4]' would say what it is, an operator of a book what "
                    "computes it",
                    missing->value));
    return std::nullopt;
}

std::optional<MissingType> missingType(const Graph& graph, ValueRef value) {
    return MissingTypes(graph).find(value);
}

} // namespace fw
