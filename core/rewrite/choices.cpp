#include "rewrite/choices.h"

#include "ir/subgraph.h"
#include "rewrite/apply.h"
#include "rewrite/rule_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds longestSearch{2};
constexpr std::size_t mostWaysToMatch = 16; // to match at one root
constexpr std::size_t mostFound = 100;      // choices
constexpr int mostRivals = 16;              // that are left out for one choice

std::set<NodeId> takenOut(const Application& taken) {
    std::set<NodeId> out;
    for (const GraphStep::Edit& edit : taken.step.edits)
        if (edit.before && !edit.after && !edit.before->isLeaf())
            out.insert(edit.before->id);
    return out;
}

std::set<NodeId> matchedBy(const Application& one) {
    std::set<NodeId> out;
    for (const NodePtr& node : one.matched)
        out.insert(node->id);
    return out;
}

std::set<std::string> namesOf(const Application& one) {
    std::set<std::string> out;
    for (const NodePtr& node : one.matched)
        out.insert(node->name);
    return out;
}

class Search {
public:
    Search(GraphEditor& editor, const RuleBook& book, const Application& taken,
           const RewriteOptions& options)
        : m_editor(editor), m_graph(editor.graph()), m_book(book), m_taken(taken),
          m_options(options), m_gone(takenOut(taken)) {}

    OtherMatches run() {
        const auto made = rulesOf(m_book, m_graph.operatorSet());
        if (!made)
            return {}; // nothing was rewritten with such a book
        m_matcher.emplace(m_graph, (*made)->table);
        const std::string& stage = stageOf(*m_book.entries.at(m_taken.entry));
        for (std::size_t i = 0; i < m_book.entries.size() && m_out.stopped.empty(); ++i)
            if (const auto& rule = (*made)->rules[i];
                rule != nullptr && rule->tree().stage == stage && !m_gone.empty())
                ask(i, *rule);
        return std::move(m_out);
    }

private:
    void ask(std::size_t entry, const Rule& rule) {
        for (const NodeId id : roots(rule.reach())) {
            for (const ValueRef root : rule.patterns().possible().at(m_graph.node(id))) {
                waysAt(entry, rule, root);
                if (!m_out.stopped.empty())
                    return;
            }
        }
    }

    void waysAt(std::size_t entry, const Rule& rule, ValueRef root) {
        std::set<std::set<NodeId>> known;
        if (entry == m_taken.entry)
            known.insert(matchedBy(m_taken));
        RuleMatchOptions options;
        options.offer = m_options.offer;
        options.rank = [&](NodeId id) { return m_editor.rank(id); };
        options.accept = [&](const Match& match) {
            return std::any_of(match.nodes.begin(), match.nodes.end(),
                               [&](NodeId id) { return m_gone.contains(id); }) &&
                   !known.contains({match.nodes.begin(), match.nodes.end()});
        };
        for (std::size_t way = 0; way < mostWaysToMatch; ++way) {
            if (m_out.found.size() >= mostFound)
                m_out.stopped = fmt::format("there are more than {}", mostFound);
            else if (m_options.cancel.cancelled() || Clock::now() - m_start > longestSearch)
                m_out.stopped = fmt::format("the search ended after {} s", longestSearch.count());
            if (!m_out.stopped.empty())
                return;
            const auto attempt =
                matchRule(*m_matcher, rule.tree(), rule.patterns(), m_graph, root, options);
            if (!attempt || !attempt->match)
                return;
            known.insert({attempt->match->nodes.begin(), attempt->match->nodes.end()});
            OtherMatch& found = m_out.found.emplace_back();
            found.entry = entry;
            found.match = *attempt->match;
            for (const NodeId id : found.match.nodes)
                if (m_gone.contains(id))
                    found.shared.push_back(m_editor.share(id));
        }
    }

    // Where a match can begin that has something of what is gone; in the order of the graph.
    std::vector<NodeId> roots(const RuleReach& reach) {
        std::set<NodeId> met;
        if (!reach.depth) {
            for (const NodePtr& node : m_graph.nodes())
                met.insert(node->id);
        } else {
            std::vector<NodeId> level(m_gone.begin(), m_gone.end());
            std::set<NodeId> above = m_gone;
            if (reach.several) // a root may lie beside it
                for (std::size_t step = 0, begin = 0; step < *reach.depth; ++step)
                    for (const std::size_t end = level.size(); begin < end; ++begin)
                        for (const ValueRef& input : m_graph.node(level[begin]).inputs)
                            if (input.valid() && above.insert(input.node).second)
                                level.push_back(input.node);
            for (std::size_t step = 0; !level.empty(); ++step) {
                std::vector<NodeId> next;
                for (const NodeId id : level) {
                    if (!met.insert(id).second || step == *reach.depth)
                        continue;
                    const Node& node = m_graph.node(id);
                    for (std::size_t k = 0; k < node.outputs.size(); ++k)
                        for (const Use& use : m_graph.uses({id, static_cast<int>(k)}))
                            next.push_back(use.node);
                }
                level = std::move(next);
            }
        }
        std::vector<NodeId> out;
        for (const NodeId id : met)
            if (reach.anyRoot || reach.roots.contains(m_graph.node(id).op))
                out.push_back(id);
        std::sort(out.begin(), out.end(), [&](NodeId a, NodeId b) {
            return std::pair(m_editor.rank(a), a) < std::pair(m_editor.rank(b), b);
        });
        return out;
    }

    GraphEditor& m_editor;
    const Graph& m_graph;
    const RuleBook& m_book;
    const Application& m_taken;
    const RewriteOptions& m_options;
    const std::set<NodeId> m_gone;
    std::optional<Matcher> m_matcher;
    const Clock::time_point m_start = Clock::now();
    OtherMatches m_out;
};

// The right side in a step of the editor that is still open; without one if it does not fit.
Result<Application> begun(GraphEditor& editor, const RuleBook& book, const OtherMatch& choice) {
    const auto rule = book.ruleAt(choice.entry);
    Application out = applicationOf(choice.entry, choice.match, editor);
    editor.begin();
    const Result<Applied> applied = applyRule(
        *rule, editor.graph(), choice.match, [](ValueRef value) { return value; }, editor);
    const Status fits = applied ? editor.settle() : Status(applied.diag());
    if (!fits) {
        editor.rollback();
        return fits.diag();
    }
    out.results.assign(applied->handed.begin(), applied->handed.end());
    return out;
}

std::string nameOf(const Application& one, const RuleBook& book) {
    return leftOutText(book.entries.at(one.entry)->name, one.matched.front()->name);
}

// Nothing takes what it matches: what the rewriting said of it.
Decision whyNot(const RewriteTrace& trace, const RuleBook& book, const Application& wanted) {
    const std::string& rule = book.entries.at(wanted.entry)->name;
    for (const Decision& decision : trace.decisions)
        if (decision.verdict != Verdict::Yes)
            for (const NodePtr& node : wanted.matched)
                if (decision.subject == leftOutText(rule, node->name) ||
                    (decision.code == ReasonCode::RulesInCircle && decision.subject == node->name))
                    return decision;
    return {leftOutText(rule, wanted.matched.front()->name), Verdict::No, ReasonCode::RuleStopped,
            "the rule is not asked there any more"};
}

} // namespace

OtherMatches choicesAt(GraphEditor& editor, const RuleBook& book, const Application& taken,
                       const RewriteOptions& options) {
    OtherMatches out = Search(editor, book, taken, options).run();
    for (OtherMatch& choice : out.found) {
        const auto application = begun(editor, book, choice);
        if (application)
            editor.rollback();
        else
            choice.unfit = Decision{choice.shared.front()->name, Verdict::No,
                                    ReasonCode::RuleUndone, application.diag().message};
    }
    return out;
}

Result<Application> take(GraphEditor& editor, const RuleBook& book, const OtherMatch& choice) {
    FW_TRY(Application out, begun(editor, book, choice));
    out.step = editor.commit();
    return out;
}

Result<Instead> insteadOf(const GraphPtr& graph, const RuleBook& book,
                          const RewriteOptions& options, const Application& taken,
                          const Application& wanted) {
    Instead out;
    const std::string name = nameOf(wanted, book);
    const std::set<std::string> names = namesOf(wanted);
    const auto refused = [&](ReasonCode code, std::string why) {
        Instead no;
        no.refused = Decision{name, Verdict::No, code, std::move(why)};
        return no;
    };
    RewriteOptions trial = options;
    if (trial.leftOut.erase({book.entries.at(wanted.entry)->name, wanted.matched.front()->name}))
        out.again.push_back(name);
    const Application* rival = &taken;
    std::optional<Rewritten> rewritten;
    for (int i = 0; i < mostRivals; ++i) {
        const std::string rivalName = nameOf(*rival, book);
        if (rivalName == name)
            return refused(ReasonCode::MatchTaken,
                           "what takes it has the same name, so that it cannot be left out alone");
        if (!trial.leftOut
                 .emplace(book.entries.at(rival->entry)->name, rival->matched.front()->name)
                 .second)
            return refused(ReasonCode::MatchTaken,
                           rivalName + " is left out and comes all the same");
        out.leaveOut.push_back(rivalName);
        FW_TRY(rewritten, rewriteGraph(graph, book, trial));
        const std::vector<Application>& all = rewritten->trace.applications;
        rival = nullptr;
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (all[k].body != wanted.body)
                continue;
            if (all[k].entry == wanted.entry && namesOf(all[k]) == names) {
                out.number = k + 1;
                return out;
            }
            if (rival == nullptr && std::any_of(all[k].step.edits.begin(), all[k].step.edits.end(),
                                                [&](const GraphStep::Edit& edit) {
                                                    return edit.before && !edit.after &&
                                                           names.contains(edit.before->name);
                                                }))
                rival = &all[k];
        }
        if (rival == nullptr) {
            Instead no;
            no.refused = whyNot(rewritten->trace, book, wanted);
            return no;
        }
    }
    return refused(ReasonCode::MatchTaken,
                   fmt::format("more than {} would have to be left out", mostRivals));
}

} // namespace fw
