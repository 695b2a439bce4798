#include "session/match_outcomes.h"

#include "session/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

using Takers = std::unordered_map<NodeId, std::size_t>; // node -> the application that erased it

Takers takersIn(const Graph& before, const RewriteTrace& trace) {
    Takers out;
    for (std::size_t i = 0; i < trace.applications.size(); ++i) {
        const Application& one = trace.applications[i];
        if (one.body != nullptr)
            continue;
        for (const GraphStep::Edit& edit : one.step.edits)
            if (edit.before && !edit.after && before.find(edit.before->id) != nullptr)
                out.emplace(edit.before->id, i);
    }
    return out;
}

bool isApplicationOf(const Application& one, const MatchRecord& match) {
    std::vector<NodeId> matched, wanted = match.nodeIds;
    for (const NodePtr& node : one.matched)
        matched.push_back(node->id);
    std::sort(matched.begin(), matched.end());
    std::sort(wanted.begin(), wanted.end());
    return matched == wanted;
}

} // namespace

void tellOutcomes(const Graph& before, const RewriteTrace& trace, MatchDocument& out) {
    const Takers takers = takersIn(before, trace);
    for (RuleMatches& rule : out.rules) {
        if (rule.kind != "rule")
            continue;
        for (MatchRecord& match : rule.matches) {
            auto first = takers.end();
            for (const NodeId id : match.nodeIds)
                if (const auto taker = takers.find(id);
                    taker != takers.end() &&
                    (first == takers.end() || taker->second < first->second))
                    first = taker;
            if (first == takers.end())
                continue;
            const Application& one = trace.applications[first->second];
            const AppliedRule& by = trace.applied.at(one.entry);
            const std::size_t number = first->second + 1;
            const bool own = by.rule == rule.name && by.file == rule.file;
            if (own && isApplicationOf(one, match))
                match.outcome = reasonText(
                    {{}, Verdict::Yes, ReasonCode::RuleApplied, fmt::format("number {}", number)});
            else
                match.outcome = reasonText(
                    {{},
                     Verdict::No,
                     ReasonCode::MatchTaken,
                     fmt::format("number {}, {}{}, took {}", number,
                                 own ? "of the same rule" : by.rule,
                                 by.file.empty() ? "" : fmt::format(" ({}:{})", by.file, by.line),
                                 before.node(first->first).name)});
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
    const Takers takers = takersIn(before, trace);
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
