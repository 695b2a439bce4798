#include "rewrite/driver.h"

#include "base/files.h"
#include "expr/simplify.h"
#include "rewrite/apply.h"
#include "rewrite/book_test.h"
#include "rewrite/builtin.h"
#include "rewrite/origins.h"
#include "rewrite/rule_cycles.h"
#include "rewrite/rule_set.h"
#include "syntax/declarations.h"
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

bool impliedBy(const std::vector<Assumption>& known, const Expr& condition) {
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

// An entry of the book on its way through one graph.
struct Entry {
    const DeclarationTree* tree = nullptr;
    bool isOfStage = true;
    std::unique_ptr<BuiltinRewrite> builtin;
    const Rule* rule = nullptr; // unless it is built in
    std::size_t since = 0;
    std::vector<NodeId> again; // roots whose match overlapped with what was done before it
    std::set<NodeId> inCircle; // roots at which it would bring back what was taken out
    std::size_t undone = 0;
    std::size_t tooManyWays = 0; // roots at which all steps were taken
};

class Driver {
public:
    Driver(const GraphPtr& graph, const RuleBook& book, const RuleSet& rules,
           const std::string& stage, const RewriteOptions& options)
        : m_first(graph), m_book(book), m_rules(rules), m_stage(stage), m_options(options),
          m_progress(*graph, options), m_returning(m_progress) {}

    Result<Rewritten> run() {
        const std::size_t operators = m_progress.operators();
        m_mostOperators = operators * m_options.growth + 1000;
        m_mostApplications = operators * 100 + m_options.applications;
        for (std::size_t i = 0; i < m_book.entries.size(); ++i) {
            const auto& tree = m_book.entries[i];
            m_trace.applied.push_back(m_book.appliedRule(*tree));
            Entry& entry = m_entries.emplace_back();
            entry.tree = tree.get();
            entry.isOfStage = stageOf(*tree) == m_stage;
            entry.rule = m_rules.rules[i].get();
            if (entry.rule == nullptr) {
                entry.builtin = makeBuiltin(tree->name);
                if (!entry.builtin)
                    return makeDiag(DiagCode::RuleIllegal,
                                    "there is no built-in rewrite " + tree->name);
            }
        }
        std::set<std::string> fired;
        do {
            fired.clear();
            for (std::size_t i = 0; i < m_entries.size() && m_stop.empty(); ++i) {
                if (m_options.cancel.cancelled())
                    return cancelled();
                const auto begin = Clock::now();
                FW_TRY(const std::size_t count, ask(i));
                m_trace.applied[i].count += count;
                m_trace.applied[i].ms += milliseconds(begin);
                if (count > 0)
                    fired.insert(m_entries[i].tree->name);
            }
            ++m_sweeps;
        } while (!fired.empty() && m_stop.empty());
        tellReason(fired);
        m_trace.decisions = takeDecisions();
        m_trace.applications = m_progress.takeApplications();
        for (auto& refused : m_notApplied)
            m_trace.notApplied.push_back(std::move(refused.second));
        if (m_trace.applications.empty())
            return Rewritten{m_first, std::move(m_trace)};
        giveOrigins(m_progress.editor(), m_trace.applications);
        FW_TRY(const GraphPtr graph, m_progress.editor().finish());
        return Rewritten{graph, std::move(m_trace)};
    }

private:
    static constexpr std::size_t mostWays = 16;          // to match at a root, of which none fits
    static constexpr std::size_t mostTold = 16;          // applications of a rule that were undone
    static constexpr std::size_t mostNotApplied = 10000; // that are kept
    static constexpr std::size_t mostTooManyWays = 10;   // 10^6 steps, of 10^5 for each

    static Diag cancelled() { return makeDiag(DiagCode::Cancelled, "rewriting was cancelled"); }

    Result<std::size_t> ask(std::size_t index) {
        Entry& entry = m_entries[index];
        if (!entry.isOfStage)
            return std::size_t(0);
        if (entry.rule != nullptr)
            return entry.rule->tree().strategy == "fixpoint" || m_sweeps == 0
                       ? applyAll(index)
                       : Result<std::size_t>(std::size_t(0));
        FW_TRY(const std::size_t count, entry.builtin->run(m_progress, index));
        m_returning.follow();
        checkLimits();
        return count;
    }

    // Every match that touches nothing replaced or made before, in node order.
    Result<std::size_t> applyAll(std::size_t index) {
        Entry& entry = m_entries[index];
        std::vector<NodeId> roots = m_progress.toAsk(entry.rule->reach(), entry.since);
        if (!entry.again.empty()) {
            roots.insert(roots.end(), entry.again.begin(), entry.again.end());
            entry.again.clear();
            m_progress.sort(roots);
            roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
        }
        if (roots.empty())
            return std::size_t(0);
        const NodeId firstMade = m_progress.editor().nextId();
        std::set<NodeId> touched;
        bool overlaps = false;
        std::vector<Match> refused;
        RuleMatchOptions options;
        options.offer = m_options.offer;
        options.rank = [&](NodeId id) { return m_progress.editor().rank(id); };
        options.accept = [&](const Match& match) {
            if (std::any_of(match.nodes.begin(), match.nodes.end(),
                            [&](NodeId id) { return id >= firstMade || touched.contains(id); })) {
                overlaps = true;
                return false;
            }
            return std::none_of(refused.begin(), refused.end(), [&](const Match& other) {
                return other.nodes == match.nodes &&
                       other.bindings.values == match.bindings.values &&
                       other.bindings.lists == match.bindings.lists;
            });
        };
        std::size_t count = 0;
        std::optional<Matcher> matcher;
        for (std::size_t i = 0;
             i < roots.size() && m_stop.empty() && entry.tooManyWays < mostTooManyWays; ++i) {
            const NodePtr root = m_progress.editor().share(roots[i]);
            if (!root || entry.inCircle.contains(roots[i]))
                continue;
            if (m_options.cancel.cancelled())
                return cancelled();
            overlaps = false;
            refused.clear();
            bool applied = false;
            while (!applied && refused.size() < mostWays && !entry.inCircle.contains(roots[i])) {
                if (!matcher) {
                    MatchOptions known;
                    known.nearMisses = false;
                    if (entry.rule->patterns().all().size() > 1)
                        known.index = &m_progress.index();
                    matcher.emplace(m_progress.graph(), m_rules.table, known);
                }
                const Result<RuleMatch> attempt = matchAt(*matcher, entry, *root, options);
                if (!attempt)
                    stopped(entry, *root, attempt.diag());
                else if (attempt->failed && refused.empty())
                    refuse(index, *root, {root}, ReasonCode::ConditionFalse,
                           attempt->failed->sentence);
                if (!attempt || !attempt->match)
                    break;
                applied = apply(index, *attempt->match);
                if (applied)
                    touched.insert(attempt->match->nodes.begin(), attempt->match->nodes.end());
                else
                    refused.push_back(*attempt->match);
            }
            if (overlaps && !applied)
                entry.again.push_back(roots[i]);
            if (!applied)
                continue;
            matcher.reset(); // what it knows of the graph is past
            ++count;
            checkLimits();
            if (entry.rule->tree().strategy == "once")
                break;
        }
        return count;
    }

    // At the first of the root's results that fits.
    Result<RuleMatch> matchAt(Matcher& matcher, const Entry& entry, const Node& root,
                              const RuleMatchOptions& options) {
        RuleMatch out;
        const Graph& graph = m_progress.graph();
        for (const ValueRef value : entry.rule->patterns().possible().at(root)) {
            // One of several results that nobody needs any more has been replaced.
            if (root.outputs.size() > 1 && graph.uses(value).empty() && !graph.isResult(value))
                continue;
            FW_TRY(RuleMatch attempt, matchRule(matcher, entry.rule->tree(), entry.rule->patterns(),
                                                graph, value, options));
            if (attempt.match)
                return attempt;
            if (!out.failed)
                out = std::move(attempt);
        }
        return out;
    }

    // Values that the rule gives anew to who uses them outside, beside its roots.
    static std::vector<ValueRef> exposedOutside(const RuleTree& rule, const Graph& graph,
                                                const Match& match) {
        std::vector<ValueRef> out;
        for (const RuleTree::Exposed& one : rule.expose)
            if (const auto part = match.bindings.values.find(one.name);
                part != match.bindings.values.end() && isUsedOutside(graph, match, part->second) &&
                std::find(match.roots.begin(), match.roots.end(), part->second) ==
                    match.roots.end())
                out.push_back(part->second);
        return out;
    }

    static std::vector<TensorType> typesOfResults(const Graph& graph) {
        std::vector<TensorType> out;
        for (const NamedValue& result : graph.results())
            out.push_back(graph.type(result.value));
        return out;
    }

    // Who gives data to a model, or takes it, knows the types of its results.
    static std::string turnedResult(const Graph& graph, const std::vector<TensorType>& before) {
        for (std::size_t i = 0; i < before.size(); ++i) {
            const NamedValue& result = graph.results()[i];
            if (const TensorType& now = graph.type(result.value); haveOtherTypes(now, before[i]))
                return fmt::format("{} from {} into {}", result.name, before[i].text(), now.text());
        }
        return {};
    }

    // False: it does not fit, and the graph is as before.
    bool apply(std::size_t index, const Match& match) {
        Entry& entry = m_entries[index];
        const RuleTree& rule = entry.rule->tree();
        GraphEditor& editor = m_progress.editor();
        const Graph& graph = m_progress.graph();
        const NodePtr root = editor.share(match.roots.front().node);
        Application out = applicationOf(index, match, editor);
        if (m_progress.leavesOut(entry.tree->name, *out.matched.front())) {
            keepRefused(index, *root, out.matched, ReasonCode::RuleLeftOut, {});
            return false;
        }
        const NodeId firstMade = out.firstAdded;
        const std::set<NodeId> matched(match.nodes.begin(), match.nodes.end());
        const bool isNamed = !rule.names.empty();
        const Subgraph taken{match.roots, [&](NodeId id) { return matched.contains(id); }, isNamed};
        // What is handed over changes operands of what is matched.
        const Hash before = hashOf(graph, taken);
        const Subgraph exposed{exposedOutside(rule, graph, match), taken.inside};
        const Hash exposedBefore = hashOf(graph, exposed);
        const std::vector<TensorType> results =
            rule.changes ? typesOfResults(graph) : std::vector<TensorType>();
        editor.begin();
        const Result<Applied> applied = applyRule(
            rule, graph, match, [](ValueRef value) { return value; }, editor);
        const auto undo = [&](ReasonCode code, const std::string& why) {
            editor.rollback();
            refuse(index, *root, out.matched, code, why);
            return false;
        };
        const auto undone = [&](const Diag& diag) {
            return undo(ReasonCode::RuleUndone,
                        fmt::format("{}: {}", m_book.place(*entry.tree), diag.message));
        };
        if (!applied)
            return undone(applied.diag());
        const Subgraph made{applied->results, [&](NodeId id) { return id >= firstMade; }, isNamed};
        const Hash after = hashOf(graph, made);
        std::vector<NodeId> gone;
        std::copy_if(match.nodes.begin(), match.nodes.end(), std::back_inserter(gone),
                     [&](NodeId id) { return !applied->kept.contains(id); });
        Subgraph given{{}, made.inside};
        for (const ValueRef& value : exposed.results)
            given.results.push_back(applied->handed.at(value));
        const bool same = after == before && hashOf(graph, given) == exposedBefore;
        // What goes over the graph once may bring back what was there: an edit takes back another.
        const bool mayReturn = rule.strategy != "once";
        if (same ||
            (mayReturn && returns(entry, *root, out.matched, gone, taken, before, made, after))) {
            editor.rollback();
            keepRefused(index, *root, out.matched, ReasonCode::RulesInCircle,
                        same ? "the right side is what was matched"
                             : "applications that led to it took it out");
            return false;
        }
        if (const Status settled = editor.settle(); !settled)
            return undone(settled.diag());
        if (const std::string turned = turnedResult(graph, results); !turned.empty())
            return undo(ReasonCode::RuleTurnsResult, turned);
        // The rewritten model would refuse inputs that the written one takes.
        for (const Assumption& demand : editor.demands())
            if (!impliedBy(graph.assumptions(), demand.condition))
                return undo(ReasonCode::RuleDemands, demand.sentence);
        out.results.assign(applied->handed.begin(), applied->handed.end());
        for (Decision told : applied->notes) {
            told.subject = entry.tree->name + " at " + told.subject;
            m_progress.decisions.push_back(std::move(told));
        }
        m_progress.decisions.push_back(
            {root->name, Verdict::Yes, ReasonCode::RuleApplied, entry.tree->name});
        m_progress.commit(std::move(out));
        m_returning.add(before);
        return true;
    }

    // Whether it makes what it began with, some applications ago; noted with its rules.
    bool returns(Entry& entry, const Node& root, const std::vector<NodePtr>& matched,
                 const std::vector<NodeId>& gone, const Subgraph& taken, const Hash& before,
                 const Subgraph& made, const Hash& after) {
        std::vector<std::size_t> chain = m_returning.chainTo(matched, gone, after);
        const bool closes = !chain.empty();
        if (!closes)
            chain = m_returning.chainTo(matched, gone, before);
        if (chain.empty())
            return false;
        RulesInCircle circle;
        const auto add = [&](const std::string& rule) {
            if (std::find(circle.rules.begin(), circle.rules.end(), rule) == circle.rules.end())
                circle.rules.push_back(rule);
        };
        for (const std::size_t application : chain)
            add(m_trace.applied[m_progress.applications()[application].entry].rule);
        if (closes)
            add(entry.tree->name);
        entry.inCircle.insert(root.id);
        const auto same = [&](const RulesInCircle& known) {
            return std::is_permutation(known.rules.begin(), known.rules.end(), circle.rules.begin(),
                                       circle.rules.end());
        };
        auto known = std::find_if(m_trace.circles.begin(), m_trace.circles.end(), same);
        if (known == m_trace.circles.end()) {
            circle.node = root.name;
            circle.before = textOf(m_progress.graph(), taken);
            circle.after = textOf(m_progress.graph(), made);
            known = m_trace.circles.insert(known, std::move(circle));
        }
        ++known->places;
        return true;
    }

    void note(Entry& entry, const Node& root, ReasonCode code, const std::string& why) {
        if (code != ReasonCode::RuleUndone || ++entry.undone <= mostTold)
            m_progress.decisions.push_back(
                {entry.tree->name + " at " + root.name, Verdict::No, code, why});
    }

    void refuse(std::size_t index, const Node& root, const std::vector<NodePtr>& matched,
                ReasonCode code, const std::string& why) {
        note(m_entries[index], root, code, why);
        keepRefused(index, root, matched, code, why);
    }

    void keepRefused(std::size_t index, const Node& root, const std::vector<NodePtr>& matched,
                     ReasonCode code, const std::string& why) {
        if (m_notApplied.size() < mostNotApplied)
            m_notApplied.insert_or_assign(
                std::pair(index, root.id),
                NotApplied{index, matched, root.id, {root.name, Verdict::No, code, why}});
    }

    void stopped(Entry& entry, const Node& root, const Diag& diag) {
        note(entry, root, ReasonCode::RuleStopped, diag.message);
        if (++entry.tooManyWays == mostTooManyWays)
            m_progress.decisions.push_back(
                {m_book.place(*entry.tree), Verdict::No, ReasonCode::RuleStopped,
                 fmt::format("too many ways to match at {} places, so the rule is left out",
                             mostTooManyWays)});
    }

    void checkLimits() {
        if (!m_stop.empty())
            return;
        const std::size_t applications = m_progress.applications().size();
        if (m_progress.operators() > m_mostOperators)
            m_stop = fmt::format("limit: the graph grew past {} operators", m_mostOperators);
        else if (applications >= m_mostApplications)
            m_stop = fmt::format("limit: {} applications", m_mostApplications);
        else if (Clock::now() - m_start > m_options.time)
            m_stop = "limit: time";
    }

    void tellReason(const std::set<std::string>& fired) {
        m_trace.stopReason = "fixpoint";
        for (const RulesInCircle& circle : m_trace.circles) {
            const std::string text = circle.text();
            m_progress.decisions.push_back(
                {circle.node, Verdict::Note, ReasonCode::RulesInCircle, text});
            m_trace.stopReason = "limit: " + text;
        }
        for (const Entry& entry : m_entries)
            if (entry.undone > mostTold)
                m_progress.decisions.push_back(
                    {m_book.place(*entry.tree), Verdict::No, ReasonCode::RuleUndone,
                     fmt::format("{} more were undone", entry.undone - mostTold)});
        if (m_stop.empty())
            return;
        m_trace.stopReason = fmt::format("{}; still firing: {}", m_stop, fmt::join(fired, ", "));
        m_progress.decisions.push_back(
            {"rewriting", Verdict::Note, ReasonCode::RuleStopped, m_trace.stopReason});
    }

    // A refusal of one sweep is the same one in the next.
    Decisions takeDecisions() {
        Decisions out = std::move(m_progress.decisions);
        std::set<std::string> said;
        std::erase_if(out, [&](const Decision& decision) {
            return decision.verdict == Verdict::No &&
                   !said.insert(fmt::format("{}\n{}\n{}", decision.subject, codeText(decision.code),
                                            decision.evidence))
                        .second;
        });
        return out;
    }

    const GraphPtr m_first;
    const RuleBook& m_book;
    const RuleSet& m_rules;
    const std::string& m_stage;
    const RewriteOptions& m_options;
    const Clock::time_point m_start = Clock::now();
    RewriteProgress m_progress;
    RuleCycles m_returning;
    std::vector<Entry> m_entries;
    std::map<std::pair<std::size_t, NodeId>, NotApplied> m_notApplied; // by entry and root
    RewriteTrace m_trace;
    std::size_t m_mostOperators = 0, m_mostApplications = 0;
    int m_sweeps = 0;
    std::string m_stop;
};

} // namespace

namespace {

// What was done behind, or in another graph.
void append(RewriteTrace& trace, RewriteTrace more) {
    if (trace.applied.empty())
        trace.applied = std::move(more.applied);
    else
        for (std::size_t i = 0; i < more.applied.size(); ++i) {
            trace.applied[i].count += more.applied[i].count;
            trace.applied[i].ms += more.applied[i].ms;
        }
    if (trace.stopReason.empty() || trace.stopReason == "fixpoint")
        trace.stopReason = std::move(more.stopReason);
    const auto move = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()),
                  std::make_move_iterator(from.end()));
    };
    move(trace.applications, more.applications);
    move(trace.circles, more.circles);
    move(trace.notApplied, more.notApplied);
    move(trace.decisions, more.decisions);
}

// A graph and the graphs inside its nodes, with the rules of the first stage.
class Simplification {
public:
    Simplification(const RuleBook& book, const RuleSet& rules, const RewriteOptions& options)
        : m_book(book), m_rules(rules), m_options(options) {}

    Result<Rewritten> run(const GraphPtr& graph) {
        RewriteTrace trace;
        std::optional<GraphEditor> editor;
        for (const NodePtr& node : graph->nodes()) {
            std::vector<Body> bodies = node->bodies;
            bool changed = false;
            for (Body& body : bodies) {
                FW_TRY(const GraphPtr inside, rewritten(body.graph, trace));
                changed = changed || inside != body.graph;
                body.graph = inside;
            }
            if (!changed)
                continue;
            if (!editor)
                editor.emplace(*graph);
            editor->setBodies(node->id, std::move(bodies));
        }
        GraphPtr first = graph;
        if (editor) {
            FW_TRY(first, editor->finish());
        }
        FW_TRY(Rewritten out,
               Driver(first, m_book, m_rules, rewriteStages().front(), m_options).run());
        append(trace, std::move(out.trace));
        return Rewritten{out.graph, std::move(trace)};
    }

private:
    Result<GraphPtr> rewritten(const GraphPtr& body, RewriteTrace& trace) {
        if (const auto known = m_known.find(body.get()); known != m_known.end())
            return known->second;
        FW_TRY(Rewritten out, run(body));
        for (Application& application : out.trace.applications)
            if (!application.body)
                application.body = body;
        out.trace.notApplied.clear(); // its nodes are those of another graph
        append(trace, std::move(out.trace));
        m_known.emplace(body.get(), out.graph);
        return out.graph;
    }

    const RuleBook& m_book;
    const RuleSet& m_rules;
    const RewriteOptions& m_options;
    std::map<const Graph*, GraphPtr> m_known; // by what they were
};

} // namespace

const std::vector<std::string>& rewriteStages() {
    static const std::vector<std::string> stages = {"simplify", "before partition",
                                                    "before fusion"};
    return stages;
}

const std::string& stageOf(const DeclarationTree& entry) {
    const std::string* out = &rewriteStages().front();
    byKind(entry, [&](const RuleTree& rule) { out = &rule.stage; });
    return *out;
}

std::string RulesInCircle::text() const {
    const std::string where = places > 1 ? fmt::format(", at {} places", places) : "";
    return rules.size() == 1 ? fmt::format("{} makes again what it matches{}", rules.front(), where)
                             : fmt::format("{} undo each other{}", fmt::join(rules, ", "), where);
}

bool wentWrong(const Decision& decision) {
    return decision.code == ReasonCode::RuleUndone || decision.code == ReasonCode::RulesInCircle ||
           decision.code == ReasonCode::RuleStopped || decision.code == ReasonCode::LeftOutUnmet ||
           decision.code == ReasonCode::RuleRefuted || decision.code == ReasonCode::RuleTurnsResult;
}

Result<Rewritten> rewriteGraph(const GraphPtr& graph, const RuleBook& book,
                               const RewriteOptions& options) {
    FW_TRY(const auto rules, rulesOf(book, graph->operatorSet()));
    FW_TRY(Rewritten out, Simplification(book, *rules, options).run(graph));
    for (const std::string& stage : rewriteStages()) {
        if (stage == rewriteStages().front() ||
            std::none_of(book.entries.begin(), book.entries.end(),
                         [&](const auto& entry) { return stageOf(*entry) == stage; }))
            continue;
        FW_TRY(Rewritten behind, Driver(out.graph, book, *rules, stage, options).run());
        out.graph = behind.graph;
        append(out.trace, std::move(behind.trace));
    }
    for (Decision& told : unmet(options.leftOut, out.trace.decisions))
        out.trace.decisions.push_back(std::move(told));
    return out;
}

} // namespace fw
