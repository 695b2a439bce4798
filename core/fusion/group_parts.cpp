#include "fusion/group_parts.h"

#include <algorithm>
#include <set>
#include <string>

namespace fw {

namespace {

// `nodes` of the group as a group: what it reads and writes, and its work.
Group partOf(const Graph& graph, const Group& whole, std::vector<NodeId> nodes,
             const std::string& suffix) {
    Group out;
    out.name = whole.name + suffix;
    out.nodes = std::move(nodes);
    out.anchor = out.nodes.front();
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
            if (facts->kind > out.work.kind || id == out.anchor) {
                out.anchor = id;
                out.work.work = facts->work;
            }
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

// Chosen for the hardest of its operators, among our own.
void chooseKernel(const Graph& graph, const Target& target, const Catalog& catalog, Group& part) {
    const Node& anchor = graph.node(part.anchor);
    Workload workload{&graph, &anchor, {}};
    if (auto facts = graph.operators().find(anchor.op)->facts(callOf(graph, anchor)); facts)
        workload.facts = facts.take();
    part.candidates = catalog.select(workload, target).candidates;
    std::erase_if(part.candidates,
                  [](const Candidate& one) { return !one.by || one.by->library() != nullptr; });
    for (Candidate& candidate : part.candidates) {
        candidate.chosen = false;
        candidate.estimateUs = candidate.by->estimate(part.work, workload, target);
    }
    const std::optional<Choice> choice = chooseAmong(part.candidates);
    if (!choice)
        throw InternalError("no code of ours computes " + anchor.name);
    Candidate& best = part.candidates[choice->index];
    best.chosen = true;
    part.implementation = best.implementation;
    part.by = best.by;
    part.estimateUs = best.estimateUs;
}

} // namespace

void divideAtCall(const Graph& graph, const Target& target, const Catalog& catalog, Group& group) {
    if (group.kind != GroupKind::Call || !group.stacked || group.call.empty() ||
        group.call.size() == group.nodes.size())
        return;
    const std::set<NodeId> call(group.call.begin(), group.call.end());
    const std::set<NodeId> needed = neededBy(graph, group);
    std::vector<NodeId> before, after;
    for (const NodeId id : group.nodes)
        if (!call.contains(id))
            (needed.contains(id) ? before : after).push_back(id);
    group.kind = GroupKind::Parts;
    if (!before.empty())
        chooseKernel(graph, target, catalog,
                     group.parts.emplace_back(partOf(graph, group, std::move(before), "_before")));
    Group& called = group.parts.emplace_back(partOf(graph, group, group.call, ""));
    called.kind = GroupKind::Call;
    called.anchor = group.anchor;
    called.implementation = group.implementation;
    called.by = group.by;
    called.candidates = group.candidates;
    if (!after.empty())
        chooseKernel(graph, target, catalog,
                     group.parts.emplace_back(partOf(graph, group, std::move(after), "_after")));
}

void leaveToHost(const Graph& graph, Group& group, const std::string& why, Decisions& notices) {
    notices.push_back(
        {graph.node(group.anchor).name, Verdict::Note, ReasonCode::HostComputes, why});
    const auto leave = [](Group& one) {
        one.kind = GroupKind::Host;
        one.implementation.clear();
        one.by = nullptr;
        one.source = "only";
        one.lowering = {};
        one.estimateUs = 0;
    };
    std::vector<Group> parts;
    if (group.nodes.size() > 1)
        for (const NodeId id : group.nodes)
            leave(
                parts.emplace_back(partOf(graph, group, {id}, "_" + std::to_string(parts.size()))));
    leave(group);
    if (!parts.empty())
        group.kind = GroupKind::Parts;
    group.parts = std::move(parts);
}

namespace {

// `way`: the part of a choice that it is in.
void addLeaves(const Group& group, const Group& way, PartOfGroup from, PlanOfParts& out) {
    if (!group.parts.empty()) {
        for (const Group& part : group.parts)
            addLeaves(part, way, from, out);
        return;
    }
    Group& leaf = out.plan.groups.emplace_back(group);
    leaf.branch = way.branch;
    leaf.when = way.when;
    leaf.id = static_cast<int>(out.plan.groups.size()) - 1;
    for (const NodeId id : leaf.nodes)
        out.plan.groupOf[id] = leaf.id;
    out.from.push_back(from);
}

} // namespace

PlanOfParts planOfParts(const FusionPlan& plan) {
    PlanOfParts out;
    out.plan.layouts = plan.layouts;
    out.plan.homes = plan.homes;
    for (const Group& group : plan.groups) {
        if (group.parts.empty())
            addLeaves(group, group, {group.id, 0}, out);
        else
            for (std::size_t i = 0; i < group.parts.size(); ++i)
                addLeaves(group.parts[i], group.branch < 0 ? group.parts[i] : group,
                          {group.id, static_cast<int>(i)}, out);
    }
    return out;
}

} // namespace fw
