#include "fusion/lower_groups.h"

#include "base/on_threads.h"
#include "fusion/group_parts.h"
#include "strategy/generated_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>

namespace fw {

namespace {

// Whether `output` of the group may be written where `value` lies: nobody reads it afterwards, and
// both are whole tensors of the arena in the same order.
bool mayReuse(const Graph& graph, const FusionPlan& plan, const Group& group, ValueRef value,
              ValueRef output) {
    const Node& producer = graph.node(value.node);
    if (group.branch >= 0) // the other ways write elsewhere
        return false;
    if (producer.isLeaf() || producer.isUnknown() || isView(graph, producer) ||
        graph.isResult(value) || graph.isResult(output) ||
        plan.layout(value) != plan.layout(output) || graph.type(value) != graph.type(output))
        return false;
    for (const Use& use : graph.uses(value)) {
        const auto reader = plan.groupOf.find(use.node);
        if (isView(graph, graph.node(use.node)) || reader == plan.groupOf.end() ||
            reader->second > group.id)
            return false;
    }
    // Inside the group it is read once: by the operator that adds it.
    std::size_t readers = 0;
    for (const Use& use : graph.uses(value))
        readers += std::find(group.nodes.begin(), group.nodes.end(), use.node) != group.nodes.end();
    return readers == 1;
}

// What a refusal is; anything else is an error of the whole.
bool isRefusal(const Diag& diag) {
    return diag.code == DiagCode::LibraryFailed || exitCode(diag.code) == 2;
}

// Gives the group to the next candidate; false if there is none.
bool passOn(Group& group, const std::string& why, Decisions& notices) {
    const std::string refused = fmt::format("{}: {}", group.implementation, why);
    const bool library = group.by->library() != nullptr;
    notices.push_back({group.name, Verdict::No,
                       library ? ReasonCode::MovedFromLibrary : ReasonCode::LoweringRefused,
                       refused});
    if (group.source == "pin")
        notices.push_back({group.name, Verdict::No, ReasonCode::PinRefused, refused});
    for (Candidate& candidate : group.candidates)
        if (candidate.implementation == group.implementation) {
            candidate.verdict = Verdict::No;
            candidate.chosen = false;
            candidate.code = ReasonCode::LoweringRefused;
            candidate.evidence = why;
        }
    const std::optional<Choice> choice = chooseAmong(group.candidates);
    if (!choice)
        return false;
    Candidate& next = group.candidates[choice->index];
    next.chosen = true;
    next.code = choice->why;
    next.evidence = choice->evidence;
    if (choice->notice)
        notices.push_back(
            {group.name, choice->notice->verdict, choice->notice->code, choice->notice->evidence});
    group.implementation = next.implementation;
    group.by = next.by;
    group.kind = next.by->library() != nullptr ? GroupKind::Call : GroupKind::Kernel;
    group.source = choice->source;
    group.estimateUs = next.estimateUs;
    return true;
}

// The edges inside of a group that was passed on name the one that computes it now.
void nameAbsorber(const Graph& graph, const Group& group, std::vector<EdgeDecision>& edges) {
    const auto inside = [&](NodeId id) {
        return std::find(group.nodes.begin(), group.nodes.end(), id) != group.nodes.end();
    };
    for (EdgeDecision& edge : edges)
        if (edge.decision.code == ReasonCode::FusedEpilogue && inside(edge.from) && inside(edge.to))
            edge.decision.evidence = epilogueSentence(graph.node(edge.to).op, group.implementation);
}

Diag cancelledLowering() {
    return makeDiag(DiagCode::Cancelled, "making the loops of the groups was cancelled");
}

} // namespace

GroupSite siteOf(const Graph& graph, const FusionPlan& plan, const Group& group) {
    return {&graph,
            group.name,
            group.nodes,
            group.anchor,
            group.inputs,
            group.outputs,
            [&plan](ValueRef value) { return plan.layout(value); },
            [&](ValueRef value, ValueRef output) {
                return mayReuse(graph, plan, group, value, output);
            }};
}

Status lowerGroup(const Graph& graph, const FusionPlan& plan, const Target& target,
                  LoweringMemo& memo, Group& group, Decisions& notices) {
    for (;;) {
        const GroupSite site = siteOf(graph, plan, group);
        const Hash key = memo.keyOf(site, target, *group.by);
        std::shared_ptr<const Result<Lowering>> made = memo.find(key);
        if (!made)
            made = memo.add(key, group.by->lower(site, target));
        if (made->ok()) {
            group.lowering = made->value();
            return {};
        }
        const Diag& why = made->diag();
        if (!isRefusal(why))
            return Diag(why).at({{}, group.name});
        if (!passOn(group, why.message, notices)) {
            leaveToHost(graph, group, why.message, notices);
            return {};
        }
    }
}

Status lowerGroups(const Graph& graph, const Target& target, const PlanOptions& options,
                   FusionPlan& plan) {
    LoweringMemo own;
    LoweringMemo& memo = options.memo != nullptr ? *options.memo : own;
    memo.beginPlan();
    std::vector<Group*> kernels;
    const auto add = [&](const auto& self, Group& group) -> void {
        if (group.kind == GroupKind::Kernel)
            kernels.push_back(&group);
        for (Group& part : group.parts)
            self(self, part);
    };
    for (Group& group : plan.groups)
        add(add, group);
    // Those that nobody lowered before, once each; what they say is asked again below.
    std::map<Hash, const Group*> unknown;
    std::vector<Hash> keys;
    keys.reserve(kernels.size());
    for (const Group* group : kernels) {
        if (options.cancel.cancelled())
            return cancelledLowering();
        keys.push_back(memo.keyOf(siteOf(graph, plan, *group), target, *group->by));
        if (!memo.find(keys.back()))
            unknown.emplace(keys.back(), group);
    }
    const std::vector<std::pair<Hash, const Group*>> work(unknown.begin(), unknown.end());
    std::vector<std::string> failures(work.size());
    onThreads(static_cast<int>(std::thread::hardware_concurrency()), work.size(),
              [&](std::size_t i, Thread) {
                  const Group& group = *work[i].second;
                  if (options.cancel.cancelled())
                      return;
                  try {
                      memo.add(work[i].first, group.by->lower(siteOf(graph, plan, group), target));
                  } catch (const std::exception& error) {
                      failures[i] = fmt::format("{}: {}", group.name, error.what());
                  }
              });
    for (const std::string& failure : failures)
        if (!failure.empty())
            throw InternalError(failure);
    if (options.cancel.cancelled())
        return cancelledLowering();
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (const auto made = memo.find(keys[i]); made && made->ok())
            kernels[i]->lowering = made->value();
        else {
            const std::string chosen = kernels[i]->implementation;
            FW_CHECK(lowerGroup(graph, plan, target, memo, *kernels[i], plan.notices));
            if (kernels[i]->implementation != chosen && kernels[i]->kind == GroupKind::Kernel &&
                !kernels[i]->when)
                nameAbsorber(graph, *kernels[i], plan.edges);
        }
    return {};
}

} // namespace fw
