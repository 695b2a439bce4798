#include "fusion/computable.h"

#include "fusion/group.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// Whether every size of the call is a number.
bool isFixed(const Graph& graph, const Node& node) {
    const auto isNumber = [](const TensorType& type) {
        return fixedExtents(type.shape).has_value();
    };
    return std::all_of(
               node.inputs.begin(), node.inputs.end(),
               [&](ValueRef input) { return !input.valid() || isNumber(graph.type(input)); }) &&
           std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](const Output& output) { return isNumber(output.type); });
}

} // namespace

// Why a node is not understood, or what its text does at these sizes.
Diag obstacleOf(const Graph& graph, const Node& node, MissingTypes& missing) {
    if (auto diag = withoutAnything(graph, node))
        return std::move(*diag);
    if (auto diag = missing.readBy(node))
        return std::move(*diag);
    const std::string domain = node.attrs.text("domain", {});
    const std::string shown =
        fmt::format("{}{}{}", domain, domain.empty() ? "" : ".", node.shownOp());
    const char* const hint = "what is around it can be planned and timed, the model cannot be run";
    return node.bodies.empty()
               ? makeDiag(DiagCode::UnknownOperator,
                          fmt::format("the operator {} is not known", shown), {{}, node.name}, hint)
               : makeDiag(DiagCode::NotRunnable,
                          fmt::format("{} runs graphs of its own, which cannot be done yet", shown),
                          {{}, node.name}, hint);
}

Diags obstacles(const Graph& graph) {
    Diags out;
    MissingTypes missing(graph);
    for (const NodePtr& node : graph.nodes())
        if ((node->isUnknown() && !isForeignLeaf(*node)) || withoutAnything(graph, *node))
            out.push_back(obstacleOf(graph, *node, missing));
    for (const NamedValue& result : graph.results())
        if (const Node& node = graph.node(result.value.node); isForeignLeaf(node))
            out.push_back(
                makeDiag(DiagCode::TypeUnknown,
                         foreignType(node, result.value.output).empty()
                             ? fmt::format("the output {} is an input whose type the model does "
                                           "not say",
                                           result.name)
                             : fmt::format("the output {} is {}, which nothing here computes with",
                                           result.name, shownType(graph, result.value)),
                         {{}, node.name}, "what does not depend on it runs"));
    return out;
}

std::optional<Diag> withoutAnything(const Graph& graph, const Node& node) {
    const Operator* op = isOperator(node) ? graph.operators().find(node.op) : nullptr;
    if (op == nullptr || op->isNative())
        return std::nullopt;
    std::optional<Diag> diag = withoutCode(graph, node);
    return diag && isFixed(graph, node) ? std::move(diag) : std::nullopt;
}

std::optional<Diag> withoutCode(const Graph& graph, const Node& node) {
    if (!isOperator(node) || node.isUnknown() || isView(graph, node))
        return std::nullopt;
    std::optional<Diag> diag = graph.operators().find(node.op)->refusal(callOf(graph, node));
    if (diag)
        diag->at({{}, node.name});
    return diag;
}

} // namespace fw
