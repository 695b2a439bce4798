// Composites of libraries that books declare: the match as a whole is one call of a kernel.
#include "fusion/group_planner.h"

#include "strategy/user_libraries.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// The call before all others; code of ours stands behind it, should it not be made after all.
Selection selectionOf(Candidate call, Selection others) {
    for (Candidate& candidate : others.candidates)
        candidate.chosen = candidate.branch = false;
    others.branches.clear();
    others.implementation = call.by;
    others.name = call.implementation;
    others.source = "rule";
    others.absorbs = {};
    call.chosen = true;
    others.candidates.push_back(std::move(call));
    return others;
}

} // namespace

GroupPlanner::Made GroupPlanner::kernelGroup(const FuseRule& rule, const Library& library,
                                             const std::vector<NodeId>& nodes) const {
    const std::string& code = rule.tree->library;
    const NodeId anchor = anchorOf(nodes);
    Candidate call;
    call.implementation = code;
    call.prioritized = BookOrigin::User;
    call.level = "composite " + rule.tree->name;
    call.place = rule.place();
    const auto refuse = [&](Step step, const Acceptance& answer) {
        call.code = answer.code;
        call.evidence = answer.evidence;
        Made out = refused(step, fmt::format("{} ({})", answer.evidence, rule.place()));
        out.told.code = answer.code;
        out.call.emplace(anchor, call);
        return out;
    };
    for (const NodeId id : nodes)
        if (const std::string wish = pinned(id); !wish.empty() && wish != code)
            return refuse(NoCode, {Verdict::No, ReasonCode::PinAvoids,
                                   fmt::format("{} is pinned for {}", wish, label(id))});
    for (const NodeId id : nodes)
        if (const Avoided* by = m_pins.avoided(id, code, library.name()))
            return refuse(NoCode, {Verdict::No, ReasonCode::PinAvoids, by->evidence});
    if (const std::string why = m_catalog.whyNot(library.name(), m_target); !why.empty())
        return refuse(NoCode, {Verdict::No, ReasonCode::LibraryNotLoaded, why});
    call.by = library.kernel(kernelName(code).kernel);
    if (call.by == nullptr)
        return refuse(NoCode, {Verdict::No, ReasonCode::LibraryAbsent,
                               fmt::format("{} has no kernel {}, it has {}", library.name(),
                                           kernelName(code).kernel, library.kernels())});
    const Acceptance answer = call.by->acceptsAll(m_graph, nodes, m_target);
    if (!answer.yes())
        return refuse(NotAbsorbed, answer);
    call.verdict = Verdict::Yes;
    call.code = ReasonCode::FuseRuleApplied;
    call.evidence = rule.place();
    Forming group;
    group.anchor = workload(anchor);
    group.nodes = nodes;
    group.call = nodes;
    group.anchored = !isMapKind(group.anchor.facts.kind);
    group.held = true;
    group.kind = group.anchor.facts.kind;
    group.choose(selectionOf(std::move(call), choose(anchor, {})));
    Made out;
    out.group = std::move(group);
    return out;
}

} // namespace fw
