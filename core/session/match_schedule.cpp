#include "session/match_schedule.h"

#include "fusion/lower_groups.h"
#include "session/text_range.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

void nameRoot(const Graph& graph, const Group& group, auto& record) {
    record.rootId = group.anchor;
    record.root = graph.node(group.anchor).name;
}

MatchRecord computed(const Graph& graph, const Group& group, const Candidate& candidate) {
    MatchRecord out;
    nameRoot(graph, group, out);
    out.nodeIds = group.nodes;
    for (const NodeId id : group.nodes)
        out.nodes.push_back(graph.node(id).name);
    out.outcome = fmt::format("computes {}{}, estimated {:.3g} us", group.name,
                              candidate.branch ? " " + candidate.where : "", group.estimateUs);
    return out;
}

// The steps up to the one that is to blame were done.
NearMissRecord refused(const Graph& graph, const Group& group, const Diag& why,
                       const ScheduleTree& schedule, const std::string& file,
                       const TextPlaces& places) {
    NearMissRecord out;
    nameRoot(graph, group, out);
    out.total = static_cast<std::int64_t>(schedule.steps.size());
    out.expected = "a step that " + group.name + " can take";
    out.found = why.message;
    if (why.where.line == 0)
        return out;
    const std::string place = fmt::format("{}:{}:{}: ", file, why.where.line, why.where.column);
    if (out.found.starts_with(place))
        out.found.erase(0, place.size());
    const auto step =
        std::find_if(schedule.steps.begin(), schedule.steps.end(), [&](const StepTree& one) {
            return static_cast<int>(one.span.line) == why.where.line &&
                   static_cast<int>(one.span.column) == why.where.column;
        });
    if (step == schedule.steps.end())
        return out;
    out.matched = step - schedule.steps.begin();
    out.clause = step->text;
    out.range = rangeOf(places, step->span);
    return out;
}

} // namespace

RuleMatches scheduleInPlan(const ScheduleTree& schedule, const std::string& file,
                           const TextPlaces& places, const Graph& graph, const FusionPlan& plan,
                           const Target& target, bool takesPart) {
    RuleMatches out;
    setRange(out, places, schedule.span);
    out.name = schedule.name;
    out.kind = schedule.keyword;
    out.doc = schedule.doc;
    out.file = file;
    bool asked = false;
    for (const Group& group : plan.groups)
        for (const Candidate& candidate : group.candidates) {
            if (candidate.by == nullptr || candidate.by->name() != scheduleCode(schedule.name))
                continue;
            asked = true;
            if (candidate.chosen || candidate.branch)
                out.matches.push_back(computed(graph, group, candidate));
            if (candidate.code != ReasonCode::LoweringRefused)
                continue;
            const Result<Lowering> again = candidate.by->lower(siteOf(graph, plan, group), target);
            if (!again.ok())
                out.nearMisses.push_back(
                    refused(graph, group, again.diag(), schedule, file, places));
        }
    out.nearMissCount = static_cast<std::int64_t>(out.nearMisses.size());
    if (!asked) {
        out.diagnostics.push_back(makeDiag(
            DiagCode::ScheduleIllegal,
            takesPart ? "no group is asked for it: an entry names it with `by schedule`, or it is "
                        "written for an operator"
                      : "its book takes no part in the plan"));
        out.diagnostics.back().severity = Severity::Note;
    }
    return out;
}

} // namespace fw
