#include "session/match_outcomes.h"

#include "base/declaration_kind.h"
#include "session/decision_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

using Takers = std::unordered_map<NodeId, std::size_t>; // node -> the first application

enum class Touch : std::uint8_t { Erases, Changes }; // other operands or attributes

Takers touchedIn(const Graph& before, const RewriteTrace& trace, Touch touch) {
    Takers out;
    for (std::size_t i = 0; i < trace.applications.size(); ++i) {
        const Application& one = trace.applications[i];
        if (one.body != nullptr)
            continue;
        for (const GraphStep::Edit& edit : one.step.edits)
            if (edit.before && (edit.after == nullptr) == (touch == Touch::Erases) &&
                before.find(edit.before->id) != nullptr)
                out.emplace(edit.before->id, i);
    }
    return out;
}

std::vector<NodeId> idsOf(const std::vector<NodePtr>& nodes) {
    std::vector<NodeId> out;
    for (const NodePtr& node : nodes)
        out.push_back(node->id);
    std::sort(out.begin(), out.end());
    return out;
}

snapshot::CameHow howOf(ReasonCode code) {
    switch (code) {
    case ReasonCode::RuleLeftOut:
        return "left out";
    case ReasonCode::RulesInCircle:
        return "circle";
    case ReasonCode::ConditionFalse:
        return "refused";
    default:
        return "undone";
    }
}

} // namespace

MatchOutcomes::MatchOutcomes(const Graph& before, const RewriteTrace& trace)
    : m_before(before), m_trace(trace), m_takers(touchedIn(before, trace, Touch::Erases)),
      m_changers(touchedIn(before, trace, Touch::Changes)) {
    for (const NotApplied& refused : trace.notApplied)
        m_refused.emplace(std::pair(refused.entry, refused.root), &refused);
}

std::optional<MatchOutcomes::Touched> MatchOutcomes::first(const Touching& touching,
                                                           const std::vector<NodeId>& nodes) {
    std::optional<Touched> out;
    for (const NodeId id : nodes)
        if (const auto found = touching.find(id);
            found != touching.end() && (!out || found->second < out->application))
            out = Touched{id, found->second};
    return out;
}

std::string MatchOutcomes::byWhom(const Touched& touched, std::size_t entry,
                                  std::string_view how) const {
    const Application& one = m_trace.applications[touched.application];
    const AppliedRule& by = m_trace.applied.at(one.entry);
    return fmt::format("number {}, {}{}, {} {}", touched.application + 1,
                       one.entry == entry ? "of the same rule" : by.rule,
                       by.file.empty() ? "" : fmt::format(" ({}:{})", by.file, by.line), how,
                       m_before.node(touched.node).name);
}

MatchOutcome MatchOutcomes::of(std::size_t entry, std::vector<NodeId> nodes) const {
    const auto taken = first(m_takers, nodes);
    std::sort(nodes.begin(), nodes.end());
    if (taken) {
        const Application& one = m_trace.applications[taken->application];
        if (one.entry == entry && idsOf(one.matched) == nodes)
            return {"applied",
                    {{},
                     Verdict::Yes,
                     ReasonCode::RuleApplied,
                     fmt::format("number {}", taken->application + 1)}};
    }
    const NotApplied* refused = nullptr; // of it as a whole, or at its root
    bool whole = false;
    for (const NodeId id : nodes)
        if (const auto found = m_refused.find({entry, id}); found != m_refused.end() && !whole) {
            refused = found->second;
            whole = idsOf(refused->matched) == nodes;
        }
    // What was refused while all of it was there says more than who took it later.
    if (taken && !whole)
        return {"taken", {{}, Verdict::No, ReasonCode::MatchTaken, byWhom(*taken, entry, "took")}};
    if (refused != nullptr)
        return {howOf(refused->decision.code), refused->decision};
    if (const auto changed = first(m_changers, nodes))
        return {"taken",
                {{}, Verdict::No, ReasonCode::MatchTaken, byWhom(*changed, entry, "changed")}};
    return {};
}

std::optional<std::size_t> entryOf(const RewriteTrace& trace, const std::string& rule,
                                   const std::string& file) {
    for (std::size_t i = 0; i < trace.applied.size(); ++i)
        if (trace.applied[i].rule == rule && trace.applied[i].file == file)
            return i;
    return std::nullopt;
}

void tellOutcomes(const Graph& before, const RewriteTrace& trace, MatchDocument& out) {
    const MatchOutcomes outcomes(before, trace);
    for (RuleMatches& rule : out.rules) {
        const auto entry = fits(rule.kind, FitsIn::Imported) ? entryOf(trace, rule.name, rule.file)
                                                             : std::optional<std::size_t>();
        for (MatchRecord& match : rule.matches) {
            if (!entry)
                continue;
            const MatchOutcome outcome = outcomes.of(*entry, match.nodeIds);
            match.came = outcome.how;
            if (!outcome.how.empty())
                match.outcome = reasonText(outcome.decision);
        }
    }
}

namespace {

std::vector<std::string> namesOf(const std::set<std::size_t>& entries, const RewriteTrace& trace) {
    std::vector<std::string> out;
    for (const std::size_t entry : entries)
        out.push_back(trace.applied.at(entry).rule);
    return out;
}

} // namespace

std::vector<std::string> takersOf(const Graph& before, const std::vector<Match>& matches,
                                  const RewriteTrace& trace) {
    const Takers takers = touchedIn(before, trace, Touch::Erases);
    std::set<std::size_t> entries;
    for (const Match& match : matches)
        for (const NodeId id : match.nodes)
            if (const auto taker = takers.find(id); taker != takers.end())
                entries.insert(trace.applications[taker->second].entry);
    return namesOf(entries, trace);
}

std::vector<std::string> makersOf(const std::vector<Match>& matches, const RewriteTrace& trace) {
    std::map<NodeId, std::size_t> makers; // the entry that made a node
    for (const Application& one : trace.applications)
        for (const GraphStep::Edit& edit : one.step.edits)
            if (!edit.before && edit.after)
                makers[edit.after->id] = one.entry;
    std::set<std::size_t> entries;
    for (const Match& match : matches)
        for (const NodeId id : match.nodes)
            if (const auto maker = makers.find(id); maker != makers.end())
                entries.insert(maker->second);
    return namesOf(entries, trace);
}

} // namespace fw
