#include "session/stepping.h"

#include "rewrite/choices.h"
#include "session/decision_records.h"
#include "session/describe.h"
#include "session/rewriting.h"
#include "session/stops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::int64_t usualReach = 2; // operators around a match
constexpr std::int64_t largestReach = 16;
constexpr std::size_t mostDrawn = 300; // operators

struct StepPlace {
    std::size_t number = 0; // from 1
    std::string stopped;
};

Result<StepPlace> placeOf(const Arguments& arguments, const RewriteTrace& trace,
                          const OperatorSet& operators) {
    const auto& all = trace.applications;
    const std::int64_t from = arguments.application.value_or(arguments.until.empty() ? 1 : 0);
    const std::int64_t least = arguments.until.empty() ? 1 : 0;
    if (from < least || from > static_cast<std::int64_t>(all.size()))
        return makeDiag(DiagCode::Usage, fmt::format("there is no application {}", from), {},
                        fmt::format("{} to {}", least, all.size()));
    FW_TRY(const Stops stops, Stops::read(arguments.until, trace, operators));
    if (stops.empty())
        return StepPlace{static_cast<std::size_t>(from), {}};
    std::optional<std::size_t> before;
    if (from > 0)
        before = all[static_cast<std::size_t>(from) - 1].entry;
    for (auto i = static_cast<std::size_t>(from); i < all.size(); ++i)
        if (std::string reason = stops.reason(all[i], trace, before); !reason.empty())
            return StepPlace{i + 1, std::move(reason)};
    return StepPlace{all.size(), "end"};
}

std::vector<ApplicationRun> runsOf(const RewriteTrace& trace) {
    std::vector<ApplicationRun> out;
    std::optional<std::size_t> entry;
    for (std::size_t i = 0; i < trace.applications.size(); ++i) {
        if (const std::size_t one = trace.applications[i].entry; one != entry) {
            entry = one;
            const AppliedRule& rule = trace.applied.at(one);
            out.push_back({rule.rule, rule.file, rule.line, static_cast<std::int64_t>(i) + 1, 0});
        }
        ++out.back().count;
    }
    return out;
}

// --- what is drawn

// Both states of what an application is about, in one graph.
class Around {
public:
    explicit Around(std::int64_t reach) : m_reach(reach) {}

    // In front of it, and behind it, each time from the nodes that it is about.
    void add(const Graph& graph, const std::vector<NodeId>& begin) {
        std::map<NodeId, std::int64_t> distance;
        std::vector<NodeId> front;
        for (const NodeId id : begin)
            if (graph.find(id) != nullptr && distance.emplace(id, 0).second)
                front.push_back(id);
        for (std::size_t i = 0; i < front.size(); ++i) {
            const Node& node = graph.node(front[i]);
            const std::int64_t next = distance.at(node.id) + 1;
            if (next > m_reach + 1 || node.isLeaf())
                continue;
            const auto meet = [&](NodeId id) {
                const Node& other = graph.node(id);
                // One step beyond the reach there are only leaves.
                if ((next > m_reach && !other.isLeaf()) || distance.contains(id))
                    return;
                if (!other.isLeaf() && distance.size() >= mostDrawn) {
                    m_hidden.insert(id);
                    return;
                }
                distance.emplace(id, next);
                front.push_back(id);
            };
            for (const ValueRef& input : node.inputs)
                if (input.valid())
                    meet(input.node);
            for (std::size_t k = 0; k < node.outputs.size(); ++k)
                for (const Use& use : graph.uses({node.id, static_cast<int>(k)}))
                    meet(use.node);
        }
        for (const auto& [id, steps] : distance)
            put(describeNode(graph, graph.node(id)));
        for (const NamedValue& result : graph.results())
            if (distance.contains(result.value.node)) {
                const InputRef shown{result.value.node, result.value.output, result.name};
                if (std::find(m_results.begin(), m_results.end(), shown) == m_results.end())
                    m_results.push_back(shown);
            }
    }

    void finish(const Application& one, StepDocument& out) const {
        std::map<NodeId, NodeMark> marks;
        for (const GraphStep::Edit& edit : one.step.edits) {
            if (!edit.before)
                marks[edit.after->id] = "created";
            else if (!edit.after)
                marks[edit.before->id] = "erased";
            else if (edit.before->inputs != edit.after->inputs)
                marks[edit.after->id] = "changed";
        }
        std::set<NodeId> matched;
        for (const NodePtr& node : one.matched)
            matched.insert(node->id);
        out.graph.stage = "step";
        for (const auto& [id, node] : m_nodes) {
            out.graph.nodes.push_back(node);
            const auto mark = marks.find(id);
            SteppedNode& row = out.nodes.emplace_back();
            row.node = id;
            row.mark = mark == marks.end() ? NodeMark("kept") : mark->second;
            row.matched = matched.contains(id);
            if (const auto operands = m_operands.find(id); operands != m_operands.end()) {
                row.before = operands->second.before;
                row.behind = operands->second.behind;
            }
        }
        out.graph.results = m_results;
        out.hidden = static_cast<std::int64_t>(m_hidden.size());
    }

private:
    void put(NodeRecord node) {
        const auto known = m_nodes.find(node.id);
        if (known == m_nodes.end()) {
            m_nodes.emplace(node.id, std::move(node));
            return;
        }
        const std::vector<InputRef> before = known->second.inputs;
        const std::vector<InputRef> behind = node.inputs;
        const auto has = [](const std::vector<InputRef>& all, const InputRef& one) {
            return std::find(all.begin(), all.end(), one) != all.end();
        };
        for (std::size_t i = 0; i < behind.size(); ++i)
            if (!has(before, behind[i]))
                m_operands[node.id].behind.push_back(static_cast<std::int64_t>(i));
        for (const InputRef& one : before)
            if (!has(behind, one)) {
                m_operands[node.id].before.push_back(static_cast<std::int64_t>(node.inputs.size()));
                node.inputs.push_back(one);
            }
        known->second = std::move(node);
    }

    std::int64_t m_reach;
    struct Operands {
        std::vector<std::int64_t> before, behind;
    };
    std::map<NodeId, NodeRecord> m_nodes;
    std::map<NodeId, Operands> m_operands; // of those that read another value
    std::vector<InputRef> m_results;
    std::set<NodeId> m_hidden;
};

std::vector<NodeId> idsOf(const Application& one, bool behind) {
    std::vector<NodeId> out;
    for (const NodePtr& node : one.matched)
        out.push_back(node->id);
    for (const GraphStep::Edit& edit : one.step.edits)
        if (const NodePtr& node = behind ? edit.after : edit.before)
            if (!edit.before || !edit.after)
                out.push_back(node->id);
    return out;
}

// --- what competes

StepChoice describeChoice(const OtherMatch& choice, const RewriteTrace& trace,
                          const GraphEditor& editor) {
    const AppliedRule& rule = trace.applied.at(choice.entry);
    StepChoice out;
    out.rule = rule.rule;
    out.file = rule.file;
    out.line = rule.line;
    std::vector<NodePtr> matched;
    for (const NodeId id : choice.match.nodes)
        matched.push_back(editor.share(id));
    out.at = matched.front()->name;
    out.matched = rewrittenNodes(matched);
    for (const NodePtr& node : choice.shared)
        out.shared.push_back(node->name);
    if (choice.unfit)
        out.unfit = reasonText(*choice.unfit);
    return out;
}

StepInstead describeInstead(Instead instead) {
    StepInstead out;
    out.leaveOut = std::move(instead.leaveOut);
    out.again = std::move(instead.again);
    out.number = static_cast<std::int64_t>(instead.number);
    if (instead.refused)
        out.refused = reasonText(*instead.refused);
    return out;
}

Status goTo(std::size_t done, RewriteHistory& history, const Context& context) {
    while (history.done() < done) {
        history.step();
        if (history.done() % 4096 == 0 && context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "stepping was cancelled");
    }
    return {};
}

// Puts the choice that is asked for in place of the next application.
Status replaceByChoice(std::int64_t number, const OtherMatches& choices, const GraphPtr& graph,
                       const RewriteTrace& trace, const RuleBook& book,
                       const RewriteOptions& options, RewriteHistory& history, StepDocument& out) {
    if (number < 1 || number > static_cast<std::int64_t>(choices.found.size()))
        return makeDiag(DiagCode::Usage,
                        fmt::format("application {} has no choice {}", history.done() + 1, number),
                        {},
                        choices.found.empty() ? "nothing competes for its operators"
                                              : fmt::format("1 to {}", choices.found.size()));
    const OtherMatch& choice = choices.found[static_cast<std::size_t>(number) - 1];
    RewriteHistory apart(graph, trace.applications);
    FW_CHECK(goTo(history.done(), apart, {}));
    FW_TRY(Application done, take(apart.editor(), book, choice));
    done.body = history.next().body;
    FW_TRY(Instead instead, insteadOf(graph, book, options, history.next(), done));
    out.choice = number;
    out.instead = describeInstead(std::move(instead));
    history.replaceNext(std::move(done));
    return {};
}

} // namespace

Result<StepDocument> stepModel(Pipeline& pipeline, const Arguments& arguments,
                               const Context& context) {
    const std::int64_t reach = arguments.around.value_or(usualReach);
    if (reach < 0 || reach > largestReach)
        return makeDiag(DiagCode::Usage,
                        fmt::format("drawn are 0 to {} operators around a match", largestReach));
    FW_TRY(const Imported* imported, pipeline.imported(context));
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    const RewriteTrace& trace = simplified->trace;
    StepDocument out;
    out.model = arguments.model;
    out.total = static_cast<std::int64_t>(trace.applications.size());
    out.runs = runsOf(trace);
    if (trace.applications.empty()) {
        FW_CHECK(Stops::read(arguments.until, trace, simplified->graph->operators()));
        return out;
    }
    FW_TRY(StepPlace place, placeOf(arguments, trace, simplified->graph->operators()));
    out.stopped = std::move(place.stopped);
    RewriteHistory history(imported->inlined, trace.applications);
    FW_CHECK(goTo(place.number - 1, history, context));
    FW_TRY(const Books* books, pipeline.books());
    FW_TRY(const RewriteOptions options, pipeline.rewriteOptions(context));
    const OtherMatches choices = choicesAt(history.editor(), books->rules, history.next(), options);
    out.choicesStopped = choices.stopped;
    for (const OtherMatch& choice : choices.found)
        out.choices.push_back(describeChoice(choice, trace, history.editor()));
    if (arguments.choice)
        FW_CHECK(replaceByChoice(*arguments.choice, choices, imported->inlined, trace, books->rules,
                                 options, history, out));
    const Application one = history.next();
    const Graph& graph = history.graph();
    Around around(reach);
    around.add(graph, idsOf(one, false));
    out.application = describeNext(history, trace);
    around.add(graph, idsOf(one, true));
    around.finish(one, out);
    return out;
}

} // namespace fw
