#include "session/ways.h"

#include "fusion/lower_groups.h"
#include "session/book_texts.h"
#include "session/group_graph.h"
#include "session/loop_rows.h"
#include "strategy/melted.h"
#include "syntax/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

bool isMadeByRule(const FusionPlan& plan, const Group& group) {
    for (const AskedRule& asked : plan.asked)
        for (const NodeId node : asked.formed)
            if (const auto at = plan.groupOf.find(node);
                at != plan.groupOf.end() && at->second == group.id)
                return true;
    return false;
}

const Candidate* candidateOfGroup(const Group& group, const std::string& name) {
    for (const Candidate& candidate : group.candidates)
        if (candidate.implementation == name)
            return &candidate;
    return nullptr;
}

// By a schedule of the user, which may put nests behind each other or inside each other.
bool isWritten(const Books& books, const ImplementationPtr& code) {
    const auto name = code == nullptr ? std::nullopt : scheduleOfCode(code->name());
    const auto& known = books.strategy.schedules();
    return name && std::any_of(known.begin(), known.end(), [&](const WrittenSchedule& one) {
               return one.tree->name == *name && !isShippedBook(one.file);
           });
}

// Growth as the books have it, and no rule.
Result<WayOfGroup> apart(Pipeline& pipeline, const Graph& graph, const FusionPlan& plan,
                         const Group& group, const Target& target, const Context& context) {
    FW_TRY(const GraphPtr part, graphOf(graph, {&group}));
    FW_TRY(PlanOptions options, pipeline.planOptions());
    const FusionBook book = options.book->withoutRules();
    options.book = &book;
    options.memo = nullptr; // what the plan made stays known
    options.cancel = context.cancel;
    options.border = borderOf(graph, plan, *part);
    FW_TRY(const FusionPlan made, planFusion(*part, target, options));
    WayOfGroup out;
    out.way = "apart";
    const bool fixed = part->freeDims().empty() && part->boundDims().empty();
    double us = 0, bytes = 0;
    for (const Group& one : made.groups) {
        if (one.isView())
            continue;
        us += one.estimateUs;
        bytes += one.work.bytesRead + one.work.bytesWritten;
        out.note +=
            fmt::format("{}{} by {}", out.note.empty() ? "" : ", ", one.name, one.computedBy());
    }
    out.estUs = us;
    if (fixed)
        out.bytes = bytes;
    return out;
}

class OneGroup {
public:
    OneGroup(Pipeline& pipeline, const Graph& graph, const Group& group, const Target& target,
             const Context& context)
        : m_pipeline(pipeline), m_graph(graph), m_group(group), m_target(target),
          m_context(context) {
        // What the orders of its operands cost is that of every form of it.
        if (group.by != nullptr)
            m_orders = std::max(0.0, group.estimateUs - estimate(*group.by, group.work));
    }

    // By code of ours; without figures where it refuses, and with its reason.
    Result<WayOfGroup> by(GroupWay way, const std::string& name,
                          const ImplementationPtr& code) const {
        WayOfGroup out;
        out.way = way;
        out.implementation = name;
        out.taken = name == m_group.implementation;
        if (const Candidate* candidate = candidateOfGroup(m_group, name))
            out.measuredUs = candidate->measuredUs;
        const Result<Lowering> made = codeBy(m_pipeline, *code, m_group, m_context);
        if (!made.ok()) {
            if (made.diag().code == DiagCode::Cancelled)
                return made.diag();
            out.note = made.diag().message;
            return out;
        }
        fill(*code, *made, out);
        return out;
    }

    // What it takes and holds; nothing of a library's call.
    void fill(const Implementation& code, const Lowering& made, WayOfGroup& out) const {
        Facts work = m_group.work;
        if (made.kernel) {
            out.held = heldBy(*made.kernel);
            if (out.held) {
                work.bytesRead += static_cast<double>(out.held->memory);
                work.bytesWritten += static_cast<double>(out.held->memory);
            }
            for (const Decision& decision : made.kernel->choice.decisions)
                if (out.way == "melted" && decision.code == ReasonCode::ScheduleDefault &&
                    decision.evidence.starts_with(out.way.text()))
                    out.note = decision.evidence;
        }
        out.bytes = bytesBeside(m_graph, m_group, out.held);
        out.estUs = estimate(code, work) + m_orders;
    }

private:
    double estimate(const Implementation& code, const Facts& work) const {
        const Node& anchor = m_graph.node(m_group.anchor);
        return code.estimate(work, {&m_graph, &anchor, m_group.work}, m_target);
    }

    Pipeline& m_pipeline;
    const Graph& m_graph;
    const Group& m_group;
    const Target& m_target;
    const Context& m_context;
    double m_orders = 0; // microseconds
};

} // namespace

Result<Lowering> codeBy(Pipeline& pipeline, const Implementation& by, const Group& group,
                        const Context& context) {
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Target* target, pipeline.target());
    FW_TRY(const PlanOptions options, pipeline.planOptions());
    if (context.cancel.cancelled())
        return makeDiag(DiagCode::Cancelled, "making loops was cancelled");
    const GroupSite site = siteOf(*simplified->graph, *plan, group);
    const Hash key = options.memo->keyOf(site, *target, by);
    std::shared_ptr<const Result<Lowering>> made = options.memo->find(key);
    if (!made)
        made = options.memo->add(key, by.lower(site, *target));
    return *made;
}

std::optional<double> bytesBeside(const Graph& graph, const Group& group,
                                  const std::optional<HeldRecord>& held) {
    if (!graph.freeDims().empty() || !graph.boundDims().empty())
        return std::nullopt;
    return group.work.bytesRead + group.work.bytesWritten +
           2 * static_cast<double>(held ? held->memory : 0);
}

namespace {

// By estimate only.
Result<std::vector<WayOfGroup>> estimatedWays(Pipeline& pipeline, const Group& group,
                                              const Context& context) {
    std::vector<WayOfGroup> out;
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Target* target, pipeline.target());
    const Graph& graph = *simplified->graph;
    if (!group.hasCode() || group.nodes.size() < 2 || !isMadeByRule(*plan, group))
        return out;
    Result<WayOfGroup> split = apart(pipeline, graph, *plan, group, *target, context);
    if (!split.ok() && split.diag().code == DiagCode::Cancelled)
        return split.diag();
    WayOfGroup& first = out.emplace_back();
    first.way = "apart";
    if (split.ok())
        first = split.take();
    else
        first.note = split.diag().message;
    const OneGroup one(pipeline, graph, group, *target, context);
    const std::string& meltedName = meltedImplementation()->name();
    if (group.kind != GroupKind::Kernel) {
        WayOfGroup whole;
        whole.way = "together";
        whole.implementation = group.computedBy();
        whole.taken = true;
        whole.estUs = group.estimateUs;
        whole.bytes = bytesBeside(graph, group, std::nullopt);
        out.push_back(std::move(whole));
        return out;
    }
    FW_TRY(const Books* books, pipeline.books());
    const bool written = isWritten(*books, group.by);
    // Nests one behind the other: by the best candidate beside melting.
    Candidates others = group.candidates;
    std::erase_if(others, [&](const Candidate& candidate) {
        return candidate.implementation == meltedName || isWritten(*books, candidate.by);
    });
    if (const std::optional<Choice> choice = chooseAmong(others)) {
        const bool planned = group.implementation != meltedName && !written;
        const std::string name =
            planned ? group.implementation : others[choice->index].implementation;
        FW_TRY(WayOfGroup stacked, one.by(group.stacked ? GroupWay("stacked") : "together", name,
                                          planned ? group.by : others[choice->index].by));
        out.push_back(std::move(stacked));
    }
    if (written) {
        FW_TRY(WayOfGroup own, one.by("written", group.implementation, group.by));
        out.push_back(std::move(own));
    }
    if (!group.stacked)
        return out;
    FW_TRY(WayOfGroup melted, one.by("melted", meltedName, meltedImplementation(Melt::WherePays)));
    if (!melted
             .estUs) { // it does not pay, or cannot be: what it would be is shown beside the reason
        const Result<Lowering> always =
            codeBy(pipeline, *meltedImplementation(Melt::Always), group, context);
        if (always.ok()) {
            const std::string why = std::exchange(melted.note, {});
            one.fill(*meltedImplementation(Melt::Always), *always, melted);
            melted.note = why;
        } else if (always.diag().code == DiagCode::Cancelled) {
            return always.diag();
        }
    }
    out.push_back(std::move(melted));
    return out;
}

} // namespace

Result<std::vector<WayOfGroup>> waysOf(Pipeline& pipeline, const Group& group,
                                       const Context& context) {
    FW_TRY(std::vector<WayOfGroup> out, estimatedWays(pipeline, group, context));
    FW_TRY(const PlanOptions options, pipeline.planOptions());
    const Measurements* log = options.catalog->measurements();
    if (out.empty() || log == nullptr)
        return out;
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    FW_TRY(const Target* target, pipeline.target());
    const std::map<std::string, double> times =
        log->times(workloadText(*simplified->graph, group.anchor, group.nodes, *target));
    for (WayOfGroup& way : out) {
        const auto found =
            times.find(way.way == "apart" ? std::string(apartFromEachOther) : way.implementation);
        if (found != times.end())
            way.measuredUs = found->second;
    }
    return out;
}

} // namespace fw
