#include "session/what_came.h"

#include "rewrite/matches.h"
#include "rewrite/origins.h"
#include "session/came_of_plan.h"
#include "session/came_rows.h"
#include "session/decision_records.h"
#include "session/match_outcomes.h"
#include "strategy/targets.h"
#include "syntax/declarations.h"
#include "syntax/test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

constexpr double matchSeconds = 2;

// Nodes of the imported graph that the matched ones stand for. One that an application added names
// that application, whose own matched nodes are asked.
class OriginsOfMatched {
public:
    explicit OriginsOfMatched(const RewriteTrace& trace) {
        for (const Application& one : trace.applications)
            if (one.body == nullptr)
                m_added.emplace(originOfAdded(one.firstAdded), &one);
    }

    std::vector<NodeId> of(const std::vector<NodePtr>& matched) const {
        std::set<NodeId> out, seen;
        std::vector<NodeId> left;
        for (const NodePtr& node : matched)
            left.insert(left.end(), node->origins.begin(), node->origins.end());
        while (!left.empty()) {
            const NodeId id = left.back();
            left.pop_back();
            if (!seen.insert(id).second)
                continue;
            if (id >= 0)
                out.insert(id);
            else if (const auto found = m_added.find(id); found != m_added.end())
                for (const NodePtr& node : found->second->matched)
                    left.insert(left.end(), node->origins.begin(), node->origins.end());
        }
        return {out.begin(), out.end()};
    }

private:
    std::map<NodeId, const Application*> m_added;
};

class CameOfRule {
public:
    CameOfRule(const CameIn& in, CameRows& rows)
        : m_in(in), m_rows(rows), m_origins(in.trace), m_outcomes(*in.imported.inlined, in.trace) {}

    void tell(const DeclarationPtr& declared, const std::string& file) {
        const auto entry = entryOf(m_in.trace, declared->name, file);
        if (!entry)
            return;
        applications(*entry);
        matches(*entry, *declared);
        refusedLater(*entry);
    }

private:
    void add(CameHow how, const std::string& what, const Decision& why, std::vector<NodeId> nodes) {
        CameRecord row;
        row.how = how;
        row.what = what;
        row.why = reasonText(why);
        row.nodes = std::move(nodes);
        m_rows.add(std::move(row));
    }

    void applications(std::size_t entry) {
        for (std::size_t i = 0; i < m_in.trace.applications.size(); ++i) {
            const Application& one = m_in.trace.applications[i];
            if (one.entry != entry)
                continue;
            const bool inside = one.body != nullptr;
            add("applied", one.matched.empty() ? std::string() : one.matched.front()->name,
                {{},
                 Verdict::Yes,
                 ReasonCode::RuleApplied,
                 fmt::format("number {}{}", i + 1, inside ? ", inside " + one.body->name() : "")},
                inside ? std::vector<NodeId>() : m_origins.of(one.matched));
        }
    }

    // Those in the imported graph that were not applied.
    void matches(std::size_t entry, const DeclarationTree& declared) {
        if (!canMatch(declared))
            return;
        MatchLimits limits;
        limits.offer = m_in.offer;
        limits.cancel = m_in.cancel;
        limits.until = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(matchSeconds));
        const Graph& graph = *m_in.imported.inlined;
        for (const Match& match :
             findMatches(graph, declared, m_in.books.patterns, limits).matches) {
            const MatchOutcome outcome = m_outcomes.of(entry, match.nodes);
            const NodeId root = match.roots.front().node;
            if (outcome.how == CameHow("applied"))
                continue;
            m_told.insert(root);
            if (outcome.how.empty())
                add("refused", graph.node(root).name, notAsked(entry, declared),
                    originsOf(graph, match.nodes));
            else
                add(outcome.how, graph.node(root).name, outcome.decision,
                    originsOf(graph, match.nodes));
        }
    }

    // It matches the imported graph, and nothing is known of it at its turn.
    Decision notAsked(std::size_t entry, const DeclarationTree& declared) const {
        std::string strategy;
        byKind(declared, [&](const RuleTree& rule) { strategy = rule.strategy; });
        if (strategy != "fixpoint" && m_in.trace.applied.at(entry).count > 0)
            return {{},
                    Verdict::No,
                    ReasonCode::ConditionFalse,
                    fmt::format("strategy {}: it was applied, and is not asked again", strategy)};
        if (m_in.trace.stopReason != "fixpoint")
            return {{}, Verdict::No, ReasonCode::RuleStopped, m_in.trace.stopReason};
        return {
            {},
            Verdict::No,
            ReasonCode::ConditionFalse,
            "when it had its turn, what it matches in the imported graph was no match any more"};
    }

    // Matches that other rules made.
    void refusedLater(std::size_t entry) {
        for (const NotApplied& refused : m_in.trace.notApplied) {
            if (refused.entry != entry || m_told.contains(refused.root) ||
                refused.decision.code == ReasonCode::ConditionFalse) // a near miss
                continue;
            const CameHow how =
                refused.decision.code == ReasonCode::RuleLeftOut     ? CameHow("left out")
                : refused.decision.code == ReasonCode::RulesInCircle ? CameHow("circle")
                                                                     : CameHow("undone");
            add(how, refused.decision.subject, refused.decision, m_origins.of(refused.matched));
        }
    }

    const CameIn& m_in;
    CameRows& m_rows;
    const OriginsOfMatched m_origins;
    const MatchOutcomes m_outcomes;
    std::set<NodeId> m_told; // roots
};

// Runs the tests of its book.
void tellTest(const CameIn& in, const DeclarationTree& declared, const std::string& file,
              const TextPlaces& places, CameRows& rows) {
    const auto checked = checkBook(in.books, file);
    for (const CheckedItem& item : checked ? checked->items : std::vector<CheckedItem>())
        if (item.span.begin == declared.span.begin) {
            CameRecord row;
            row.how = item.verdict == "ok" ? CameHow("passed") : CameHow("failed");
            row.what = item.name;
            for (const Diag& diag : item.diagnostics) {
                row.why += (row.why.empty() ? "" : "; ") + diag.message;
                if (row.line == 0 && diag.where.line > 0)
                    setRange(row, places, lineSpan(places, diag.where.line));
            }
            rows.add(std::move(row));
        }
}

} // namespace

void tellWhatCame(const CameIn& in, const DeclarationPtr& declared, const std::string& file,
                  const std::string& text, const NamedThrough& through, UsesDocument& out) {
    const TextPlaces places(text);
    CameRows rows;
    const bool hasKeys = !declared->targets.empty() && !isA<TargetTree>(*declared);
    if (hasKeys && in.offer != nullptr && !isFor(*declared, *in.offer)) {
        std::vector<std::string_view> keys;
        for (const KeyTree& key : declared->targets)
            keys.push_back(key.name);
        rows.note(fmt::format("it is for {}, which {} is not", fmt::join(keys, ", "),
                              in.target != nullptr ? in.target->text : "the target"));
    } else if (isA<RuleTree>(*declared) || isA<BuiltinTree>(*declared))
        CameOfRule(in, rows).tell(declared, file);
    else if (isA<TestTree>(*declared))
        tellTest(in, *declared, file, places, rows);
    else
        CameOfPlan(in, through, rows).tell(declared, file, places);
    rows.give(out);
}

} // namespace fw
