#include "session/contests.h"

#include "session/candidates.h"
#include "session/group_graph.h"
#include "session/group_times.h"
#include "strategy/melted.h"
#include "strategy/workload_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace fw {

namespace {

using Times = std::map<std::string, double>; // by implementation

// Of records of other machines, by the workload without the machine.
std::map<std::string, Times> timesElsewhere(const std::vector<TuningRecord>& records,
                                            const std::string& machine) {
    std::map<std::string, Times> out;
    for (const TuningRecord& record : records)
        if (isOfGroup(record.workload) && !record.workload.ends_with(machine) && !record.disturbed)
            out[record.workload.substr(0, record.workload.find(" | on "))].insert_or_assign(
                record.implementation, record.us);
    return out;
}

struct Way {
    std::string name;
    double estimateUs = 0;
};

bool isMelted(const Candidate& candidate) {
    return candidate.implementation == meltedImplementation()->name();
}

// The candidates that are ready, the chosen one first, then each with other values of its knobs. Of
// a group with a free dimension also those that compute it at some sizes. What melting costs is a
// guess, so it is tried where the guess is against it.
std::vector<Way> waysOf(const Group& group, bool free) {
    std::vector<Way> out;
    for (const Candidate& candidate : group.candidates)
        if (candidate.verdict == Verdict::Yes || (free && candidate.verdict == Verdict::Note) ||
            (!free && isMelted(candidate) && candidate.code == ReasonCode::LoweringRefused))
            out.push_back({candidate.implementation, candidate.estimateUs});
    for (const Candidate& candidate : group.candidates)
        if (candidate.verdict == Verdict::Yes && candidate.by && !candidate.atSetting)
            for (const KnobSettings& settings : candidate.by->settings())
                if (std::string name = nameAt(candidate.implementation, settings); std::none_of(
                        out.begin(), out.end(), [&](const Way& way) { return way.name == name; }))
                    out.push_back({std::move(name), candidate.estimateUs});
    return out;
}

std::vector<std::string> inOrder(std::vector<Way> ways, const std::string& chosen,
                                 const Times& elsewhere) {
    const auto rank = [&](const Way& way) {
        if (way.name == chosen)
            return std::pair(0, 0.0);
        const auto us = elsewhere.find(way.name);
        return us == elsewhere.end() ? std::pair(2, way.estimateUs) : std::pair(1, us->second);
    };
    std::stable_sort(ways.begin(), ways.end(),
                     [&](const Way& a, const Way& b) { return rank(a) < rank(b); });
    std::vector<std::string> out;
    for (Way& way : ways)
        out.push_back(std::move(way.name));
    return out;
}

std::set<Symbol> freeDimsOf(const Graph& graph, const Group& group) {
    std::set<Symbol> out;
    for (const auto* values : {&group.inputs, &group.outputs})
        for (const ValueRef value : *values)
            for (const Dim& dim : graph.type(value).shape)
                out.merge(freeVars(dim));
    return out;
}

PinRule togetherPin(const Graph& graph, const Group& group, const Group& next) {
    PinClause pin;
    pin.kind = PinKind::Together;
    for (const Group* one : {&group, &next})
        for (const NodeId node : one->nodes)
            pin.names.push_back(graph.node(node).name);
    return {pin, "tune"};
}

class Contests {
public:
    Contests(const Graph& graph, const FusionPlan& plan, const Target& target, PlanOptions options)
        : m_graph(graph), m_plan(plan), m_target(target), m_options(std::move(options)) {
        for (std::size_t i = 0; i < plan.asked.size() && i < m_options.book->fuseRules().size();
             ++i)
            if (m_options.book->fuseRules()[i].tree->as != FuseAs::Library)
                for (const NodeId node : plan.asked[i].formed)
                    m_byRules.insert(plan.groupOf.at(node));
    }

    void add(const Group& group, const std::set<Symbol>& ranged,
             const std::map<std::string, Times>& elsewhere, std::vector<std::string>& notices) {
        const std::set<Symbol> free = freeDimsOf(m_graph, group);
        std::vector<Way> ways = waysOf(group, !free.empty());
        if (free.empty() && m_byRules.contains(group.id) && group.source != "pin")
            ways.push_back({apartFromEachOther, group.estimateUs});
        if (ways.size() < 2)
            return;
        if (free.size() > 1 || (free.size() == 1 && !ranged.contains(*free.begin()))) {
            std::string names;
            for (const Symbol& dim : free)
                names += (names.empty() ? "" : ", ") + std::string(dim.text());
            const Decision left{group.name, Verdict::Note, ReasonCode::NotMeasured,
                                names + " free: times are taken along one dimension that has a "
                                        "range (--dim N=1..64)"};
            notices.push_back(
                fmt::format("{} {}: {}", codeText(left.code), left.subject, left.sentence()));
            return;
        }
        Contest* contest =
            fresh(workloadText(m_graph, group.anchor, group.nodes, m_target), group, group.name);
        if (contest == nullptr)
            return;
        if (!free.empty())
            contest->dim = std::string(free.begin()->text());
        contest->ways = inOrder(std::move(ways), group.implementation,
                                elsewhereOf(contest->workload, elsewhere));
    }

    Status addNeighbours(const Group& group, const std::map<std::string, Times>& elsewhere) {
        const Group* const next = kernelBehind(m_graph, m_plan, group);
        if (next == nullptr || group.source == "pin" || next->source == "pin" ||
            !freeDimsOf(m_graph, group).empty() || !freeDimsOf(m_graph, *next).empty())
            return {};
        std::vector<NodeId> nodes = group.nodes;
        nodes.insert(nodes.end(), next->nodes.begin(), next->nodes.end());
        // The same pair again is not planned again.
        const auto [asked, isNew] =
            m_pairs.try_emplace(workloadText(m_graph, group.anchor, nodes, m_target), m_out.size());
        if (!isNew) {
            if (asked->second < m_out.size())
                ++m_out[asked->second].count;
            return {};
        }
        const std::size_t place = std::exchange(asked->second, std::string::npos);
        FW_TRY(const GraphPtr part, graphOf(m_graph, {&group, next}));
        PlanOptions options = m_options;
        options.border = borderOf(m_graph, m_plan, *part);
        FusionBook book = m_options.book->withoutRules();
        book.addPin(togetherPin(m_graph, group, *next));
        options.book = &book;
        FW_TRY(const FusionPlan plan, planFusion(*part, m_target, options));
        const Group* one = nullptr;
        for (const Group& made : plan.groups)
            if (made.hasCode() && made.nodes.size() == group.nodes.size() + next->nodes.size())
                one = &made;
        if (one == nullptr ||
            one->estimateUs >= (group.estimateUs + next->estimateUs) * (1 - Measurements::margin))
            return {};
        const NodeId anchor = m_graph.findByName(part->node(one->anchor).name)->id;
        Contest* contest = fresh(workloadText(m_graph, anchor, nodes, m_target), group,
                                 fmt::format("{} with {}", group.name, next->name));
        if (contest == nullptr)
            return {};
        asked->second = place;
        contest->next = next;
        contest->ways = inOrder({{apartFromEachOther, 0}, {one->implementation, 0}},
                                apartFromEachOther, elsewhereOf(contest->workload, elsewhere));
        return {};
    }

    std::vector<Contest> take() { return std::move(m_out); }

private:
    // Null if there is one of that workload.
    Contest* fresh(std::string workload, const Group& group, std::string name) {
        for (Contest& contest : m_out)
            if (contest.workload == workload) {
                ++contest.count;
                return nullptr;
            }
        Contest& out = m_out.emplace_back();
        out.group = &group;
        out.name = std::move(name);
        out.workload = std::move(workload);
        return &out;
    }

    static Times elsewhereOf(const std::string& workload,
                             const std::map<std::string, Times>& elsewhere) {
        const auto found = elsewhere.find(workload.substr(0, workload.find(" | on ")));
        return found == elsewhere.end() ? Times() : found->second;
    }

    const Graph& m_graph;
    const FusionPlan& m_plan;
    const Target& m_target;
    PlanOptions m_options;
    std::set<int> m_byRules;                    // groups
    std::map<std::string, std::size_t> m_pairs; // that were asked, with their contest
    std::vector<Contest> m_out;
};

} // namespace

Result<Apart> plannedTogether(Pipeline& pipeline, const GraphPtr& part, const Graph& graph,
                              const Contest& contest, const std::string& way,
                              const Context& context, const ApartRuns& runs) {
    FW_TRY(Apart out, apartPinned(pipeline, part, togetherPin(graph, *contest.group, *contest.next),
                                  context, runs));
    std::string seen;
    for (const Group& one : out.plan.groups)
        if (one.hasCode())
            seen += (seen.empty() ? "" : ", ") + one.implementation;
    if (seen != way) // one group by it
        return makeDiag(DiagCode::NotRunnable, fmt::format("{} computes them together", seen));
    return out;
}

Result<Apart> plannedApart(Pipeline& pipeline, const GraphPtr& part, const Context& context,
                           const ApartRuns& runs) {
    FW_TRY(PlanOptions options, pipeline.planOptions());
    const FusionBook book = options.book->withoutRules();
    options.book = &book;
    FW_TRY(Apart out, pipeline.apart(part, options, context, runs));
    if (std::count_if(out.plan.groups.begin(), out.plan.groups.end(),
                      [](const Group& one) { return one.hasCode(); }) < 2)
        return makeDiag(DiagCode::ScheduleIllegal, "they are one group without the rule");
    return out;
}

Result<std::vector<Contest>> contestsOf(Pipeline& pipeline, const std::set<Symbol>& ranged,
                                        const std::vector<TuningRecord>& records,
                                        std::vector<std::string>& notices, const Context& context) {
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const Target* target, pipeline.target());
    FW_TRY(PlanOptions options, pipeline.planOptions());
    options.cancel = context.cancel;
    const std::map<std::string, Times> elsewhere =
        timesElsewhere(records, workloadMachine(*target));
    Contests out(*source->graph, *plan, *target, std::move(options));
    for (const Group& group : plan->groups)
        if (group.hasCode())
            out.add(group, ranged, elsewhere, notices);
    for (const Group& group : plan->groups)
        if (const Status added = out.addNeighbours(group, elsewhere);
            !added && added.diag().code == DiagCode::Cancelled)
            return added.diag();
    return out.take();
}

} // namespace fw
