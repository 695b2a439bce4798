#include "rewrite/driver.h"

#include "base/files.h"
#include "expr/simplify.h"
#include "pattern/roots.h"
#include "rewrite/apply.h"
#include "rewrite/book_test.h"
#include "rewrite/builtin.h"
#include "rewrite/embedded.h"
#include "tensor/op_check.h"
#include "tensor/op_def.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

std::size_t operatorCount(const Graph& graph) {
    return static_cast<std::size_t>(
        std::count_if(graph.nodes().begin(), graph.nodes().end(),
                      [](const NodePtr& node) { return !node->isInput() && !node->isConstant(); }));
}

// What a graph computes, cheap enough to be asked after every sweep: constants by size and first
// bytes.
Hash signatureOf(const Graph& graph) {
    std::string text;
    std::map<NodeId, std::size_t> place;
    for (const NodePtr& node : graph.nodes()) {
        place.emplace(node->id, place.size());
        text += "\n" + node->op + node->attrs.print();
        for (const ValueRef& input : node->inputs)
            text += input.valid() ? fmt::format(" {}.{}", place.at(input.node), input.output)
                                  : std::string(" -");
        if (node->data)
            text += node->data->type().text() +
                    hashOf(node->data->bytes().first(
                               std::min<std::size_t>(node->data->bytes().size(), 64)))
                        .hex();
    }
    return hashOf(text);
}

class Driver {
public:
    Driver(const RuleBook& book, const RewriteOptions& options)
        : m_book(book), m_table(book.table()), m_options(options) {}

    Result<Rewritten> run(const GraphPtr& graph) {
        m_graph = graph;
        for (const auto& entry : m_book.entries)
            m_trace.applied.push_back({entry->name, 0, 0});
        const std::size_t limit = operatorCount(*graph) * m_options.growth + 1000;
        std::set<Hash> seen{signatureOf(*graph)};
        const auto start = Clock::now();
        std::string stop;
        std::set<std::string> fired;
        for (int sweep = 0; stop.empty(); ++sweep) {
            fired.clear();
            for (std::size_t i = 0; i < m_book.entries.size(); ++i) {
                if (m_options.cancel.cancelled())
                    return makeDiag(DiagCode::Cancelled, "rewriting was cancelled");
                const DeclarationTree& entry = *m_book.entries[i];
                const auto begin = Clock::now();
                FW_TRY(const std::size_t count, applyEntry(entry, sweep));
                m_trace.applied[i].count += count;
                m_trace.applied[i].ms += milliseconds(begin);
                if (count > 0)
                    fired.insert(entry.name);
            }
            if (fired.empty())
                stop = "fixpoint";
            else if (operatorCount(*m_graph) > limit)
                stop = "limit: the graph grew past " + std::to_string(limit) + " operators";
            else if (sweep + 1 >= m_options.sweeps)
                stop = "limit: " + std::to_string(m_options.sweeps) + " sweeps";
            else if (Clock::now() - start > m_options.time)
                stop = "limit: time";
            else if (!seen.insert(signatureOf(*m_graph)).second)
                stop = "limit: a graph that was there before came back";
        }
        if (stop != "fixpoint") {
            std::string names;
            for (const std::string& name : fired)
                names += (names.empty() ? "" : ", ") + name;
            stop += "; still firing: " + names;
            m_trace.decisions.push_back(
                {"rewriting", Verdict::Note, ReasonCode::RuleStopped, stop});
        }
        m_trace.stopReason = stop;
        // A refusal of one sweep is the same one in the next.
        std::set<std::string> said;
        std::erase_if(m_trace.decisions, [&](const Decision& decision) {
            return !said.insert(fmt::format("{}\n{}\n{}", decision.subject, codeText(decision.code),
                                            decision.evidence))
                        .second;
        });
        return Rewritten{m_graph, std::move(m_trace)};
    }

private:
    using LeftOut = std::map<NodeId, Decision>; // by root: why

    static constexpr std::size_t mostUndone = 16; // applications of one rule in one sweep

    Result<std::size_t> applyEntry(const DeclarationTree& entry, int sweep) {
        if (const auto* rule = dynamic_cast<const RuleTree*>(&entry)) {
            if (rule->strategy != "fixpoint" && sweep > 0)
                return std::size_t(0);
            return applyAll(*rule);
        }
        const Builtin builtin = findBuiltin(entry.name);
        if (builtin == nullptr)
            return makeDiag(DiagCode::RuleIllegal, "there is no built-in rewrite " + entry.name);
        FW_TRY(BuiltinResult result, builtin(m_graph, m_options));
        m_graph = result.graph;
        m_trace.lines.insert(m_trace.lines.end(), result.lines.begin(), result.lines.end());
        m_trace.decisions.insert(m_trace.decisions.end(), result.decisions.begin(),
                                 result.decisions.end());
        return result.count;
    }

    // Every match in the snapshot that touches nothing replaced before, in node order. What asks
    // more of the free dimensions than the model does is left out: the rewritten model would refuse
    // inputs that the written one takes.
    // So is what has another type than what it replaces; a rule that keeps doing that is stopped.
    Result<std::size_t> applyAll(const RuleTree& rule) {
        LeftOut leftOut;
        for (;;) {
            const std::size_t lines = m_trace.lines.size(), decisions = m_trace.decisions.size();
            FW_TRY(const std::optional<std::size_t> count, applyBut(rule, leftOut));
            if (count)
                return *count;
            m_trace.lines.resize(lines);
            m_trace.decisions.resize(decisions);
            const auto undone = static_cast<std::size_t>(
                std::count_if(leftOut.begin(), leftOut.end(), [](const auto& root) {
                    return root.second.code == ReasonCode::RuleUndone;
                }));
            if (undone >= mostUndone) {
                for (auto& [root, why] : leftOut)
                    m_trace.decisions.push_back(std::move(why));
                m_trace.decisions.push_back(
                    {m_book.place(rule), Verdict::No, ReasonCode::RuleStopped,
                     fmt::format("{} of its applications were undone, the rest is not tried",
                                 undone)});
                return std::size_t(0);
            }
        }
    }

    // Nothing if a match had to be added to `leftOut`: the graph is as before.
    Result<std::optional<std::size_t>> applyBut(const RuleTree& rule, LeftOut& leftOut) {
        std::set<std::string> roots;
        const bool anyRoot = !rootOperators(rule.match.front().pattern, m_table, roots);
        std::optional<GraphEditor> editor;
        std::map<ValueRef, ValueRef> moved;
        std::set<NodeId> touched;
        std::size_t count = 0;
        Matcher matcher(*m_graph, m_table);
        RuleMatchOptions untouched;
        untouched.accept = [&](const Match& match) {
            return std::none_of(match.nodes.begin(), match.nodes.end(),
                                [&](NodeId id) { return touched.contains(id); });
        };
        const Successor forward = [&](ValueRef value) {
            for (auto found = moved.find(value); found != moved.end(); found = moved.find(value))
                value = found->second;
            return value;
        };
        for (const NodePtr& node : m_graph->nodes()) {
            if (!anyRoot && !roots.contains(node->op))
                continue;
            const Result<RuleMatch> attempt =
                matchRule(matcher, rule, rule.match, *m_graph, {node->id, 0}, untouched);
            if (!attempt) {
                m_trace.decisions.push_back({rule.name + " at " + node->name, Verdict::No,
                                             ReasonCode::RuleStopped, attempt.diag().message});
                continue;
            }
            const std::optional<Match>& match = attempt->match;
            if (attempt->failed)
                m_trace.decisions.push_back({rule.name + " at " + node->name, Verdict::No,
                                             ReasonCode::ConditionFalse,
                                             attempt->failed->sentence});
            if (!match)
                continue;
            if (const auto why = leftOut.find(node->id); why != leftOut.end()) {
                m_trace.decisions.push_back(why->second);
                continue;
            }
            if (!editor)
                editor.emplace(*m_graph);
            const std::size_t demands = editor->demands().size();
            Result<Applied> applied = applyRule(rule, *m_graph, *match, forward, *editor);
            const std::string at = rule.name + " at " + node->name;
            if (!applied) {
                leftOut.emplace(node->id, Decision{at, Verdict::No, ReasonCode::RuleUndone,
                                                   fmt::format("{}: {}", m_book.place(rule),
                                                               applied.diag().message)});
                return std::optional<std::size_t>();
            }
            for (std::size_t i = demands; i < editor->demands().size(); ++i)
                if (!impliedBy(m_graph->assumptions(), editor->demands()[i].condition)) {
                    leftOut.emplace(node->id, Decision{at, Verdict::No, ReasonCode::RuleDemands,
                                                       editor->demands()[i].sentence});
                    return std::optional<std::size_t>();
                }
            for (std::size_t i = 0; i < match->roots.size(); ++i)
                moved[match->roots[i]] = applied->results[i];
            touched.insert(match->nodes.begin(), match->nodes.end());
            m_trace.lines.push_back(fmt::format("{}: {} ({} operators out, {} in)", rule.name,
                                                node->name, match->nodes.size(), applied->added));
            m_trace.decisions.push_back(
                {node->name, Verdict::Yes, ReasonCode::RuleApplied, rule.name});
            ++count;
            if (rule.strategy == "once")
                break;
        }
        if (editor) {
            editor->removeUnused();
            Result<GraphPtr> next = editor->finish();
            if (!next)
                return next.takeDiag().advise("rule " + rule.name +
                                              " made a graph that is not valid");
            m_graph = *next;
        }
        return std::optional(count);
    }

    static bool impliedBy(const std::vector<Assumption>& known, const Expr& condition) {
        if (condition.op() == ExprOp::Or)
            return impliedBy(known, condition.arg(0)) || impliedBy(known, condition.arg(1));
        Ranges ranges;
        for (const Assumption& assumption : known) {
            if (assumption.condition == condition)
                return true;
            ranges.assume(assumption.condition);
        }
        return decide(condition, ranges).value_or(false);
    }

    const RuleBook& m_book;
    PatternTable m_table;
    const RewriteOptions& m_options;
    GraphPtr m_graph;
    RewriteTrace m_trace;
};

} // namespace

void RuleBook::add(const std::vector<DeclarationPtr>& declarations, const std::string& file) {
    for (const DeclarationPtr& declaration : declarations) {
        if (!file.empty())
            files[declaration.get()] = file;
        if (auto rule = declarationAs<RuleTree>(declaration))
            entries.push_back(rule);
        else if (auto builtin = declarationAs<BuiltinTree>(declaration))
            entries.push_back(builtin);
        else if (auto pattern = declarationAs<PatternDeclTree>(declaration))
            patterns.push_back(pattern);
    }
}

bool wentWrong(const Decision& decision) {
    return decision.code == ReasonCode::RuleUndone || decision.code == ReasonCode::RuleStopped;
}

std::string RuleBook::place(const DeclarationTree& entry) const {
    const auto file = files.find(&entry);
    return file == files.end()
               ? entry.name
               : fmt::format("{} at {}:{}", entry.name, file->second, entry.span.line);
}

PatternTable RuleBook::table() const {
    PatternTable out;
    for (const auto& pattern : patterns)
        out.insert_or_assign(pattern->name, pattern.get());
    return out;
}

Result<RuleBook> parseRules(std::string_view text, const std::string& file) {
    const FileTree tree = parseFile(text, file);
    if (!tree.errors.empty())
        return tree.errors.front();
    RuleBook out;
    out.add(tree.declarations, file);
    return out;
}

Result<RuleBook> standardRules() {
    return parseRules(embeddedSimplify(), "simplify.fw");
}

Result<Rewritten> rewriteGraph(const GraphPtr& graph, const RuleBook& book,
                               const RewriteOptions& options) {
    const PatternTable table = book.table();
    for (const auto& pattern : book.patterns)
        if (auto wrong = firstError(checkPattern(*pattern, graph->operators(), table, {})))
            return wrong->advise(pattern->name + " cannot be used; fw check BOOK.fw tells more");
    for (const auto& entry : book.entries)
        if (const auto* rule = dynamic_cast<const RuleTree*>(entry.get()))
            if (auto wrong = firstError(checkRule(*rule, graph->operators(), table, {})))
                return wrong->advise("rule " + rule->name +
                                     " cannot be used; fw check BOOK.fw tells more");
    return Driver(book, options).run(graph);
}

} // namespace fw
