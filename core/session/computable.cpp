#include "session/computable.h"

#include "ir/bound_dims.h"
#include "ir/missing_type.h"
#include "ir/subgraph.h"
#include "session/runnable.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

// Of each node that cannot be computed, the first that is the cause.
std::map<NodeId, NodeId> causesIn(const Graph& graph, const Diags& reasons) {
    std::map<NodeId, NodeId> out;
    std::set<std::string> refused;
    for (const Diag& reason : reasons)
        refused.insert(reason.where.node);
    const std::map<Symbol, NodeId> binders = bindersOf(graph);
    const auto take = [&](NodeId node, NodeId from) {
        // An input that cannot be computed with says less than who reads it.
        if (const auto cause = out.find(from);
            cause != out.end() && !isForeignLeaf(graph.node(cause->second)))
            out.emplace(node, cause->second);
    };
    for (const NodePtr& node : graph.nodes()) {
        for (const ValueRef& input : node->inputs)
            if (input.valid())
                take(node->id, input.node);
        if (!binders.empty())
            for (const Symbol dim : dimsIn(*node))
                if (const auto binder = binders.find(dim);
                    binder != binders.end() && binder->second != node->id)
                    take(node->id, binder->second);
        if (node->isUnknown() || refused.contains(node->name))
            out.emplace(node->id, node->id);
    }
    return out;
}

} // namespace

Diag closerReason(const Diag& obstacle, const Diags& imported) {
    for (const Diag& said : imported)
        if (said.severity == Severity::Error && said.where.node == obstacle.where.node)
            return said;
    return obstacle;
}

bool hasComputable(const Graph& graph) {
    const std::map<NodeId, NodeId> causes = causesIn(graph, reasonsNotToRun(graph));
    return std::any_of(graph.results().begin(), graph.results().end(),
                       [&](const NamedValue& one) { return !causes.contains(one.value.node); });
}

Result<ComputablePart> computablePart(const Graph& graph, const Diags& imported) {
    const Diags found = reasonsNotToRun(graph);
    const std::map<NodeId, NodeId> causes = causesIn(graph, found);
    std::map<std::string, Diag> reasons;
    for (const Diag& obstacle : found)
        reasons.emplace(obstacle.where.node, closerReason(obstacle, imported));
    ComputablePart out;
    std::vector<NamedValue> kept;
    for (const NamedValue& result : graph.results()) {
        const auto cause = causes.find(result.value.node);
        if (cause == causes.end()) {
            kept.push_back(result);
            continue;
        }
        const Node& node = graph.node(cause->second);
        const auto reason = reasons.find(node.name);
        out.leftOut.push_back(
            makeWarning(DiagCode::NotRunnable,
                        fmt::format("the output {} is not computed: {}", result.name,
                                    reason == reasons.end() ? node.shownOp() + " is not known"
                                                            : reason->second.message),
                        {{}, node.name}));
    }
    std::vector<ValueRef> inputs;
    for (const NodeId id : graph.inputs())
        inputs.push_back({id, 0});
    FW_TRY(out.graph, partOf(graph, inputs, kept, BoundDims::Computed));
    return out;
}

} // namespace fw
