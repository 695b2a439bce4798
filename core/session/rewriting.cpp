#include "session/rewriting.h"

#include "base/files.h"
#include "base/numbers.h"
#include "ir/graph_text.h"
#include "ir/missing_type.h"
#include "onnx/write/export.h"
#include "session/decision_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::int64_t mostListed = 10000; // applications

std::string nameOf(const Graph& graph, ValueRef value) {
    return value.valid() ? graph.output(value).name : std::string("none");
}

std::string lineOf(const ApplicationRecord& one) {
    const auto list = [](const std::vector<RewrittenNode>& nodes) {
        std::string out;
        for (const RewrittenNode& node : nodes)
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", node.op, node.name);
        return out.empty() ? std::string("nothing") : out;
    };
    std::string out = fmt::format("{} {}", one.number, one.rule);
    if (!one.file.empty())
        out += fmt::format(" ({}:{})", one.file, one.line);
    if (!one.body.empty())
        out += " in " + one.body;
    out += fmt::format(": {} -> {}", list(one.matched), list(one.created));
    for (const RewrittenResult& result : one.results)
        out += fmt::format("; {}: {} -> {}: {}", result.name, result.before, result.became,
                           result.after);
    for (const BoundNameRecord& bound : one.bindings)
        out += fmt::format("; {} = {}", bound.name, fmt::join(bound.values, ", "));
    return out + fmt::format("; flops {} -> {}, bytes {} -> {}", numberText(one.flopsBefore),
                             numberText(one.flopsAfter), numberText(one.bytesBefore),
                             numberText(one.bytesAfter));
}

// What an application costs in every run, or hands to readers that it does not match.
std::vector<std::string> noticesOf(const RewriteTrace& trace) {
    constexpr std::size_t mostTold = 16;
    std::vector<std::string> out;
    std::size_t more = 0;
    for (const Decision& decision : trace.decisions)
        if (decision.code == ReasonCode::RuleRepeats || decision.code == ReasonCode::RuleExposes ||
            decision.code == ReasonCode::RuleLeftOut) {
            if (out.size() < mostTold)
                out.push_back(noticeText(decision));
            else
                ++more;
        }
    if (more > 0)
        out.push_back(fmt::format("{} more applications of this kind", more));
    return out;
}

// What the model asked of its free dimensions and no operator of the written graph asks: it is as
// it is for these sizes alone.
void noteForgotten(const Graph& graph, std::vector<std::string>& notices) {
    constexpr std::size_t mostTold = 16;
    std::vector<Expr> asked;
    for (const NodePtr& node : graph.nodes()) {
        const Operator* known = node->isLeaf() ? nullptr : graph.operators().find(node->op);
        const auto inferred =
            known != nullptr ? known->infer(callOf(graph, *node)) : Result<Inferred>(Diag());
        if (inferred)
            for (const Assumption& assumption : inferred->assumptions)
                asked.push_back(assumption.condition);
    }
    std::size_t forgotten = 0;
    for (const Assumption& assumption : graph.assumptions())
        if (std::find(asked.begin(), asked.end(), assumption.condition) == asked.end() &&
            ++forgotten <= mostTold)
            notices.push_back(noticeText(
                {assumption.node, Verdict::Note, ReasonCode::DimAssumed,
                 fmt::format("{} ({}); what is written holds for such sizes alone and asks nothing",
                             assumption.condition.text(), assumption.sentence)}));
    if (forgotten > mostTold)
        notices.push_back(fmt::format("{} more of this kind", forgotten - mostTold));
}

// Of a rule that acted.
Where placeOf(const std::string& rule, const RewriteTrace& trace) {
    const auto found =
        std::find_if(trace.applied.begin(), trace.applied.end(), [&](const AppliedRule& applied) {
            return applied.rule == rule && applied.count > 0;
        });
    return found == trace.applied.end() ? Where() : Where{found->file, {}, found->line, 1};
}

// Of a rule that was undone.
Where placeOf(const Decision& undone, const RewriteTrace& trace) {
    for (const NotApplied& refused : trace.notApplied)
        if (refused.decision.code == undone.code && refused.decision.evidence == undone.evidence) {
            const AppliedRule& rule = trace.applied.at(refused.entry);
            return {rule.file, {}, rule.line, 1};
        }
    return {};
}

void addDiagnostics(const RewriteTrace& trace, Diags& out) {
    for (const Decision& decision : trace.decisions)
        if (decision.code == ReasonCode::RuleRefuted)
            out.push_back(makeWarning(DiagCode::OutputsDiffer, noticeText(decision),
                                      placeOf(decision.subject, trace)));
        else if (decision.code == ReasonCode::RuleChanges)
            out.push_back({DiagCode::OutputsDiffer,
                           noticeText(decision),
                           placeOf(decision.subject, trace),
                           {},
                           Severity::Note});
        else if (wentWrong(decision) && decision.code != ReasonCode::RulesInCircle)
            out.push_back(makeWarning(DiagCode::RuleIllegal,
                                      fmt::format("{}: {}", decision.subject, decision.sentence()),
                                      placeOf(decision, trace)));
    for (const RulesInCircle& circle : trace.circles)
        out.push_back(
            makeWarning(DiagCode::RuleIllegal,
                        fmt::format("{}: {}; the last application of each round is left out\n{}{}",
                                    circle.node, circle.text(), circle.before, circle.after)));
}

} // namespace

std::vector<std::string> refutedNotices(const Simplified& simplified) {
    std::vector<std::string> out;
    for (const Decision& decision : simplified.trace.decisions)
        if (decision.code == ReasonCode::RuleRefuted || decision.code == ReasonCode::RuleChanges)
            out.push_back(noticeText(decision));
    return out;
}

Result<GraphPtr> behindApplication(const Imported& imported, const Simplified& simplified,
                                   const Arguments& arguments) {
    const auto& all = simplified.trace.applications;
    const std::int64_t count = arguments.application.value_or(0);
    if (count < 0 || count > static_cast<std::int64_t>(all.size()))
        return makeDiag(DiagCode::Usage, fmt::format("there is no application {}", count), {},
                        fmt::format("0 to {}", all.size()));
    return graphBehind(imported.inlined, all, static_cast<std::size_t>(count));
}

std::vector<RewrittenNode> rewrittenNodes(const std::vector<NodePtr>& nodes) {
    std::vector<RewrittenNode> out;
    for (const NodePtr& node : nodes)
        out.push_back({node->name, node->op});
    return out;
}

ApplicationRecord describeNext(RewriteHistory& history, const RewriteTrace& trace) {
    const Application& one = history.next();
    const AppliedRule& rule = trace.applied.at(one.entry);
    const Graph& graph = history.graph();
    ApplicationRecord out;
    out.number = static_cast<std::int64_t>(history.done()) + 1;
    out.rule = rule.rule;
    out.at = one.matched.empty() ? std::string() : one.matched.front()->name;
    out.file = rule.file;
    out.line = rule.line;
    out.body = one.body ? one.body->name() : std::string();
    out.matched = rewrittenNodes(one.matched);
    std::set<NodeId> origins;
    for (const NodePtr& node : one.matched)
        origins.insert(node->origins.begin(), node->origins.end());
    if (!one.body)
        out.origins.assign(origins.begin(), origins.end());
    std::vector<NodePtr> created, erased;
    for (const GraphStep::Edit& edit : one.step.edits) {
        if (!edit.before)
            created.push_back(edit.after);
        else if (!edit.after)
            erased.push_back(edit.before);
    }
    out.created = rewrittenNodes(created);
    out.erased = rewrittenNodes(erased);
    for (const auto& [name, values] : one.names) {
        BoundNameRecord& bound = out.bindings.emplace_back();
        bound.name = name;
        for (const ValueRef& value : values)
            bound.values.push_back(nameOf(graph, value));
    }
    for (const auto& [from, to] : one.results)
        out.results.push_back({nameOf(graph, from), shownType(graph, from), {}, {}});
    const Work before = workOf(graph, erased);
    history.step();
    const Work after = workOf(graph, created);
    for (std::size_t i = 0; i < one.results.size(); ++i)
        if (const ValueRef to = one.results[i].second; graph.find(to.node) != nullptr) {
            out.results[i].became = nameOf(graph, to);
            out.results[i].after = shownType(graph, to);
        }
    out.flopsBefore = before.flops;
    out.flopsAfter = after.flops;
    out.bytesBefore = before.bytes;
    out.bytesAfter = after.bytes;
    return out;
}

Result<RewriteDocument> describeRewrite(const Imported& imported, const Simplified& simplified,
                                        const Arguments& arguments) {
    RewriteDocument out;
    const auto operators = [](const Graph& graph) {
        return std::count_if(graph.nodes().begin(), graph.nodes().end(),
                             [](const NodePtr& node) { return !node->isLeaf(); });
    };
    const RewriteTrace& trace = simplified.trace;
    out.nodesBefore = operators(*imported.inlined);
    out.nodesAfter = operators(*simplified.graph);
    out.stopReason = trace.stopReason;
    for (const AppliedRule& rule : trace.applied)
        if (rule.count > 0)
            out.applied.push_back(
                {rule.rule, rule.file, static_cast<std::int64_t>(rule.count), rule.ms});
    for (const RulesInCircle& circle : trace.circles)
        out.circles.push_back({circle.rules, circle.node, circle.before, circle.after,
                               static_cast<std::int64_t>(circle.places)});
    out.notices = noticesOf(trace);
    addDiagnostics(trace, out.diagnostics);
    const auto listed = static_cast<std::size_t>(arguments.limit.value_or(mostListed));
    RewriteHistory history(imported.inlined, trace.applications);
    std::string lines;
    while (!history.atEnd() && (history.done() < listed || !arguments.trace.empty())) {
        ApplicationRecord one = describeNext(history, trace);
        if (!arguments.trace.empty())
            lines += lineOf(one) + "\n";
        if (out.applications.size() < listed)
            out.applications.push_back(std::move(one));
    }
    if (!arguments.trace.empty())
        FW_CHECK(writeFile(arguments.trace, lines));
    if (arguments.output == "-") {
        out.text = printGraph(*simplified.graph);
    } else if (!arguments.output.empty()) {
        out.file = arguments.output;
        if (arguments.output.ends_with(".fw")) {
            FW_CHECK(writeFile(arguments.output, printGraph(*simplified.graph)));
        } else {
            FW_TRY(ExportedModel exported, exportModel(*simplified.graph));
            FW_CHECK(writeFile(arguments.output, exported.bytes));
            out.opset = exported.opset;
            for (Diag& diag : exported.diagnostics)
                out.diagnostics.push_back(std::move(diag.at({arguments.output})));
            for (const Decision& decision : exported.decisions)
                out.notices.push_back(noticeText(decision));
            noteForgotten(*simplified.graph, out.notices);
        }
    }
    return out;
}

} // namespace fw
