// Composites of libraries that books declare: the match as a whole is one call of a kernel.
#include "fusion/planner.h"

#include "strategy/user_libraries.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

const Avoided* GroupPlanner::avoided(NodeId id, const std::string& code,
                                     const std::string& library) const {
    const auto here = m_avoid.find(id);
    for (const auto* list : {&m_avoidAlways, here == m_avoid.end() ? nullptr : &here->second})
        if (list != nullptr)
            for (const Avoided& one : *list)
                if (one.name == code || one.name == library)
                    return &one;
    return nullptr;
}

void GroupPlanner::callKernel(const FuseRule& rule, const Library& library, const Node& root,
                              const std::vector<NodeId>& nodes) {
    const std::string& code = rule.tree->library;
    const NodeId anchor = anchorOf(nodes);
    Candidate call;
    call.implementation = code;
    call.prioritized = BookOrigin::User;
    call.level = "composite " + rule.tree->name;
    call.place = rule.place();
    const auto refuse = [&](const Answer& answer) {
        call.code = answer.code;
        call.evidence = answer.evidence;
        Decision notice{rule.tree->name + " at " + root.name, Verdict::No, answer.code,
                        fmt::format("{} ({})", answer.evidence, rule.place())};
        // That it is not loaded is told once.
        const bool told =
            answer.code == ReasonCode::LibraryNotLoaded &&
            std::any_of(m_plan.notices.begin(), m_plan.notices.end(),
                        [&](const Decision& one) { return one.evidence == notice.evidence; });
        if (!told)
            m_plan.notices.push_back(std::move(notice));
        m_refusedCalls[anchor].push_back(call);
    };
    if (const std::string wish = pinned(anchor); !wish.empty() && wish != code)
        return refuse({Verdict::No, ReasonCode::PinAvoids, wish + " is pinned there"});
    for (const NodeId id : nodes)
        if (const Avoided* by = avoided(id, code, library.name()))
            return refuse({Verdict::No, ReasonCode::PinAvoids, by->evidence});
    if (const std::string why = m_catalog.whyNot(library.name(), m_target); !why.empty())
        return refuse({Verdict::No, ReasonCode::LibraryNotLoaded, why});
    call.by = library.kernel(kernelName(code).kernel);
    if (call.by == nullptr)
        return refuse({Verdict::No, ReasonCode::LibraryAbsent,
                       fmt::format("{} has no kernel {}, it has {}", library.name(),
                                   kernelName(code).kernel, library.kernels())});
    const Answer answer = call.by->acceptsAll(m_graph, nodes, m_target);
    if (!answer.yes())
        return refuse(answer);

    // Code of ours for its anchor stands behind it, should the call not be made after all.
    Selection selection = choose(anchor, {});
    for (Candidate& candidate : selection.candidates)
        candidate.chosen = false;
    call.verdict = Verdict::Yes;
    call.chosen = true;
    call.code = ReasonCode::FuseRuleApplied;
    call.evidence = rule.place();
    selection.implementation = call.by;
    selection.name = code;
    selection.source = "rule";
    selection.candidates.push_back(std::move(call));
    Forming group;
    group.anchor = workload(anchor);
    group.nodes = nodes;
    group.call = nodes;
    group.anchored = !isMapKind(group.anchor.facts.kind);
    group.closed = true;
    group.kind = group.anchor.facts.kind;
    group.choose(std::move(selection));
    add(std::move(group), "a composite puts them together", ReasonCode::FuseRuleApplied,
        rule.place());
}

} // namespace fw
