#include "session/schedule.h"

#include "fusion/branches.h"
#include "fusion/lower_groups.h"
#include "session/book_texts.h"
#include "session/branch_sizes.h"
#include "session/describe.h"
#include "session/loop_rows.h"
#include "session/ways.h"
#include "snapshot/inputs.h"
#include "strategy/scheduled.h"
#include "strategy/selection.h"
#include "syntax/declarations.h"
#include "syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t mostRows = 400; // of loops

// A word that may name a declaration, and that no schedule or entry of the books has.
std::string freshName(const std::string& group, const Books& books) {
    std::string base;
    for (const char c : group)
        base += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (base.empty() || std::isdigit(static_cast<unsigned char>(base.front())) != 0)
        base.insert(0, "group_");
    const auto taken = [&](const std::string& name) {
        for (const WrittenSchedule& schedule : books.strategy.schedules())
            if (schedule.tree->name == name)
                return true;
        for (const StrategyBlock& block : books.strategy.blocks())
            for (const EntryTree& entry : block.tree->entries)
                if (entry.name == name)
                    return true;
        return false;
    };
    std::string out = base;
    for (int i = 2; taken(out); ++i)
        out = fmt::format("{}_{}", base, i);
    return out;
}

// What one implementation makes of the group, as far as it is told.
class Told {
public:
    Told(Pipeline& pipeline, const Context& context, const Graph& graph, const FusionPlan& plan,
         const Target& target, const Books& books)
        : m_pipeline(pipeline), m_context(context), m_graph(graph), m_plan(plan), m_target(target),
          m_books(books) {}

    Status planned(const Group& group, ScheduleDocument& out) {
        out.implementation = group.computedBy();
        if (!group.hasCode()) {
            out.refused = group.isView()     ? "it is a view, which computes nothing"
                          : group.isOpaque() ? "nothing computes it"
                                             : "its reference computes it, which has no loops";
            return {};
        }
        out.estUs = group.estimateUs;
        for (const Candidate& candidate : group.candidates)
            if (candidate.implementation == group.implementation)
                out.measuredUs = candidate.measuredUs;
        FW_TRY(const KernelReport report, m_pipeline.lowered(group.id, m_context));
        out.text = report.libraryCall.empty() ? report.scheduleText : report.libraryCall;
        LoopRows rows(m_graph, mostRows);
        add(group, rows, 0);
        out.loops = rows.take();
        out.moreLoops = rows.more();
        if (group.lowering.kernel && group.parts.empty()) {
            out.held = heldBy(*group.lowering.kernel);
            begin(*group.lowering.kernel, *group.by, group, out);
        } else {
            out.notBegun = group.kind == GroupKind::Choice
                               ? "the sizes choose among several: begin one of the candidates"
                           : group.kind == GroupKind::Call
                               ? "a library computes it, which has no schedule"
                               : "a library computes a part of it, which has no schedule";
        }
        out.bytes = bytesBeside(m_graph, group, out.held);
        return {};
    }

    Status candidate(const Candidate& candidate, const Group& group, ScheduleDocument& out) {
        out.implementation = candidate.implementation;
        out.measuredUs = candidate.measuredUs;
        const auto refuse = [&](std::string why) {
            out.refused = why;
            out.notBegun = std::move(why);
            return Status();
        };
        if (candidate.verdict == Verdict::No || candidate.by == nullptr)
            return refuse(Decision{{}, Verdict::No, candidate.code, candidate.evidence}.sentence());
        out.estUs = candidate.estimateUs;
        if (candidate.by->library() != nullptr)
            return refuse("a call of a library, which has no schedule and no loops of ours");
        Group shown = group;
        shown.by = candidate.by;
        shown.implementation = candidate.implementation;
        const Result<Lowering> made = codeBy(m_pipeline, *candidate.by, group, m_context);
        if (!made.ok()) {
            if (made.diag().code == DiagCode::Cancelled)
                return made.diag();
            return refuse(made.diag().message);
        }
        const KernelCode& code = *made->kernel;
        out.text = code.choice.schedule.text();
        LoopRows rows(m_graph, mostRows);
        rows.add(code, group, 0);
        out.loops = rows.take();
        out.moreLoops = rows.more();
        out.held = heldBy(code);
        out.bytes = bytesBeside(m_graph, group, out.held);
        begin(code, *candidate.by, group, out);
        return {};
    }

private:
    static void add(const Group& group, LoopRows& rows, int depth) {
        if (group.lowering.kernel && group.parts.empty())
            return rows.add(*group.lowering.kernel, group, depth);
        for (const Group& part : group.parts) {
            rows.part(group.kind == GroupKind::Choice
                          ? fmt::format("{} {}", part.computedBy(), conditionText(part))
                          : fmt::format("{} by {}", part.name, part.computedBy()),
                      part.nodes, depth);
            add(part, rows, depth + 1);
        }
        if (group.parts.empty())
            rows.part(fmt::format("a call of {}", group.computedBy()), group.nodes, depth);
    }

    // Where a book declares it, and the text that begins one of its own. What does not come back as
    // the same loops is not offered.
    void begin(const KernelCode& code, const Implementation& by, const Group& group,
               ScheduleDocument& out) {
        if (const auto name = scheduleOfCode(by.name()))
            for (const WrittenSchedule& schedule : m_books.strategy.schedules())
                if (schedule.tree->name == *name && !isShippedBook(schedule.file))
                    out.written = {schedule.file, static_cast<int>(schedule.tree->span.line),
                                   static_cast<int>(schedule.tree->span.column)};
        const std::string name = freshName(group.name, m_books);
        std::string steps;
        const std::string text = code.choice.schedule.text();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            steps += "  " + text.substr(at, end - at) + "\n";
            at = end + 1;
        }
        const std::string declaration =
            fmt::format("schedule {} \"{}, as {} begins it\" {{\n{}}}\n", name, group.name,
                        out.implementation, steps);
        const FileTree tree = parseFile(declaration, "begun");
        const auto written = only<ScheduleTree>(tree);
        if (!written) {
            out.notBegun = tree.errors.empty() ? "it has no steps" : tree.errors.front().message;
            return;
        }
        const Result<Lowering> again = scheduledImplementation({written, "begun"})
                                           ->lower(siteOf(m_graph, m_plan, group), m_target);
        if (!again.ok() || !(again->kernel->choice.lowered.nest == code.choice.lowered.nest)) {
            out.notBegun = again.ok() ? "its steps are not all that it does: the computation of an "
                                        "entry stands in its book"
                                      : again.diag().message;
            return;
        }
        const Node& anchor = m_graph.node(group.anchor);
        out.begun =
            declaration +
            fmt::format("implementations {}(...) on any {{ {} by schedule {} priority 0 }}\n"
                        "pin {{ {} }}\n",
                        anchor.op, name, name,
                        pinText({snapshot::PinKind::Use, {anchor.name}, name}));
    }

    Pipeline& m_pipeline;
    const Context& m_context;
    const Graph& m_graph;
    const FusionPlan& m_plan;
    const Target& m_target;
    const Books& m_books;
};

std::vector<DecisionRecord> conflictsOf(const Graph& graph, const FusionPlan& plan,
                                        const Group& group) {
    std::vector<DecisionRecord> out;
    const auto add = [&](const Decision& decision) {
        DecisionRecord row;
        row.from = decision.subject;
        row.verdict = DecisionVerdict::of(verdictText(decision.verdict));
        row.code = codeText(decision.code);
        row.sentence = decision.sentence();
        out.push_back(std::move(row));
    };
    for (const Decision& notice : plan.notices) {
        const bool own = notice.subject == group.name ||
                         std::any_of(group.nodes.begin(), group.nodes.end(), [&](NodeId id) {
                             return graph.node(id).name == notice.subject;
                         });
        if (own && notice.code == ReasonCode::PinRefused)
            add(notice);
    }
    for (const Candidate& candidate : group.candidates) {
        if (!candidate.chosen)
            continue;
        const bool costs = candidate.code == ReasonCode::ChosenPriority &&
                           cheaperReady(group.candidates, candidate) != nullptr;
        if (costs || candidate.code == ReasonCode::ChosenOrder)
            add({group.name, Verdict::Note, candidate.code, candidate.evidence});
    }
    return out;
}

} // namespace

Result<ScheduleDocument> describeSchedule(Pipeline& pipeline, const Arguments& arguments,
                                          const Context& context) {
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    FW_TRY(const Target* target, pipeline.target());
    FW_TRY(const Books* books, pipeline.books());
    const Graph& graph = *simplified->graph;
    if (!arguments.group || *arguments.group < 0 ||
        static_cast<std::size_t>(*arguments.group) >= plan->groups.size())
        return makeDiag(DiagCode::UnknownName,
                        arguments.group ? fmt::format("there is no group {}", *arguments.group)
                                        : std::string("a schedule is that of one group"),
                        {}, "--group ID, as fw fuse numbers them");
    const Group& group = plan->groups[static_cast<std::size_t>(*arguments.group)];
    ScheduleDocument out;
    out.model = arguments.model;
    out.target = target->text;
    out.group = group.id;
    out.name = group.name;
    Told told(pipeline, context, graph, *plan, *target, *books);
    if (arguments.name.empty() || arguments.name == group.computedBy()) {
        FW_CHECK(told.planned(group, out));
    } else {
        std::string known;
        const Candidate* wanted = nullptr;
        for (const Candidate& candidate : group.candidates) {
            known += (known.empty() ? "" : ", ") + candidate.implementation;
            if (candidate.implementation == arguments.name)
                wanted = &candidate;
        }
        if (wanted == nullptr)
            return makeDiag(DiagCode::UnknownName,
                            fmt::format("{} has no candidate {}", group.name, arguments.name), {},
                            known.empty() ? "it has none" : "there are " + known);
        FW_CHECK(told.candidate(*wanted, group, out));
    }
    FW_TRY(out.ways, waysOf(pipeline, group, context));
    if (group.kind == GroupKind::Choice) {
        const std::vector<std::string> sizes = branchSizes(graph, group);
        for (std::size_t i = 0; i < group.parts.size(); ++i) {
            const Group& part = group.parts[i];
            BranchRecord row{part.computedBy(), conditionText(part), sizes[i], {}};
            if (part.hasCode())
                row.estUs = part.estimateUs;
            out.branches.push_back(std::move(row));
        }
    }
    out.conflicts = conflictsOf(graph, *plan, group);
    return out;
}

} // namespace fw
