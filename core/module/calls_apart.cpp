#include "module/calls_apart.h"

#include "extern/extern.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

double bytesOf(const Graph& graph, ValueRef value) {
    const TensorType& type = graph.type(value);
    double bytes = static_cast<double>(dtypeBytes(type.dtype));
    for (const Dim& dim : type.shape)
        bytes *= static_cast<double>(dim.asInt().value_or(1));
    return bytes;
}

// `nodes` of the group as a group: what it reads and writes, and its work.
Group stageOf(const Graph& graph, const Group& whole, std::vector<NodeId> nodes,
              const std::string& suffix) {
    Group out;
    out.name = whole.name + suffix;
    out.nodes = std::move(nodes);
    out.anchor = out.nodes.front();
    out.implementation = "generated";
    out.computedBy = "generated.any";
    out.source = whole.source;
    out.work.kind = FusionKind::Elementwise;
    const std::set<NodeId> members(out.nodes.begin(), out.nodes.end());
    std::set<ValueRef> seen;
    for (const NodeId id : out.nodes) {
        const Node& node = graph.node(id);
        for (const ValueRef& input : node.inputs)
            if (input.valid() && !members.contains(input.node) && seen.insert(input).second)
                out.inputs.push_back(input);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            const auto uses = graph.uses(value);
            if (graph.isResult(value) || std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
                    return !members.contains(use.node);
                }))
                out.outputs.push_back(value);
        }
        if (const auto facts = graph.operators().find(node.op)->facts(callOf(graph, node)); facts) {
            out.work.kind = std::max(out.work.kind, facts->kind);
            out.work.flops += facts->flops;
            out.work.transcendentals += facts->transcendentals;
        }
    }
    if (out.outputs.empty())
        out.outputs.push_back({out.nodes.back(), 0});
    for (const ValueRef& input : out.inputs)
        out.work.bytesRead += bytesOf(graph, input);
    for (const ValueRef& output : out.outputs)
        out.work.bytesWritten += bytesOf(graph, output);
    return out;
}

// What the call needs of the group's other nodes, directly or through others.
std::set<NodeId> neededBy(const Graph& graph, const Group& group) {
    const std::set<NodeId> call(group.call.begin(), group.call.end());
    std::set<NodeId> out;
    for (auto id = group.nodes.rbegin(); id != group.nodes.rend(); ++id) {
        if (call.contains(*id))
            continue;
        for (std::size_t i = 0; i < graph.node(*id).outputs.size(); ++i)
            for (const Use& use : graph.uses({*id, static_cast<int>(i)}))
                if (call.contains(use.node) || out.contains(use.node))
                    out.insert(*id);
    }
    return out;
}

std::vector<Group> stagesOf(const Graph& graph, const Group& group) {
    const std::set<NodeId> call(group.call.begin(), group.call.end());
    const std::set<NodeId> needed = neededBy(graph, group);
    std::vector<NodeId> before, after;
    for (const NodeId id : group.nodes)
        if (!call.contains(id))
            (needed.contains(id) ? before : after).push_back(id);
    std::vector<Group> out;
    if (!before.empty())
        out.push_back(stageOf(graph, group, std::move(before), "_before"));
    Group& called = out.emplace_back(stageOf(graph, group, group.call, ""));
    called.implementation = group.implementation;
    called.computedBy = group.computedBy;
    if (!after.empty())
        out.push_back(stageOf(graph, group, std::move(after), "_after"));
    return out;
}

} // namespace

bool isStageCall(const Group& group) {
    return group.stacked && !group.call.empty() && group.call.size() < group.nodes.size() &&
           isExtern(group.computedBy);
}

bool hasStageCalls(const FusionPlan& plan) {
    return std::any_of(plan.groups.begin(), plan.groups.end(), isStageCall);
}

PlanOfStages callsApart(const Graph& graph, const FusionPlan& plan) {
    PlanOfStages out;
    out.plan.layouts = plan.layouts;
    out.plan.homes = plan.homes;
    for (const Group& group : plan.groups) {
        std::vector<Group> stages =
            isStageCall(group) ? stagesOf(graph, group) : std::vector<Group>{group};
        // What the call writes lies as the group's output does, if the two are alike.
        if (stages.size() > 1) {
            const ValueRef result = group.outputs.front(), called{group.call.back(), 0};
            if (const auto map = plan.layouts.find(result);
                map != plan.layouts.end() && graph.type(result).shape == graph.type(called).shape)
                out.plan.layouts.emplace(called, map->second);
        }
        for (Group& stage : stages) {
            stage.id = static_cast<int>(out.plan.groups.size());
            for (const NodeId id : stage.nodes)
                out.plan.groupOf[id] = stage.id;
            out.whole[stage.id] = group.id;
            out.plan.groups.push_back(std::move(stage));
        }
    }
    return out;
}

} // namespace fw
