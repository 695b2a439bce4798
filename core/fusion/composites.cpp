// Composites of libraries that books declare: the match as a whole is one call of a kernel.
#include "fusion/planner.h"

#include "strategy/user_libraries.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

GroupPlanner::Made GroupPlanner::kernelGroup(const FuseRule& rule, const Library& library,
                                             const std::vector<NodeId>& nodes) const {
    const std::string& code = rule.tree->library;
    const NodeId anchor = anchorOf(nodes);
    Candidate call;
    call.implementation = code;
    call.prioritized = BookOrigin::User;
    call.level = "composite " + rule.tree->name;
    call.place = rule.place();
    const auto refuse = [&](Step step, const Answer& answer) {
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
    const Answer answer = call.by->acceptsAll(m_graph, nodes, m_target);
    if (!answer.yes())
        return refuse(NotAbsorbed, answer);

    // Code of ours for its anchor stands behind it, should the call not be made after all.
    Selection selection = choose(anchor, {});
    for (Candidate& candidate : selection.candidates)
        candidate.chosen = candidate.branch = false;
    selection.branches.clear();
    call.verdict = Verdict::Yes;
    call.chosen = true;
    call.code = ReasonCode::FuseRuleApplied;
    call.evidence = rule.place();
    selection.implementation = call.by;
    selection.name = code;
    selection.source = "rule";
    selection.absorbs = {};
    selection.candidates.push_back(std::move(call));
    Forming group;
    group.anchor = workload(anchor);
    group.nodes = nodes;
    group.call = nodes;
    group.anchored = !isMapKind(group.anchor.facts.kind);
    group.held = true;
    group.kind = group.anchor.facts.kind;
    group.choose(std::move(selection));
    Made out;
    out.group = std::move(group);
    return out;
}

} // namespace fw
