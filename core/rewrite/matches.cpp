#include "rewrite/matches.h"

#include "pattern/roots.h"
#include "rewrite/apply.h"

#include <algorithm>

namespace fw {

namespace {

bool inside(const std::set<NodeId>& part, const std::set<NodeId>& whole) {
    return part.size() < whole.size() &&
           std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

// Each node hands its match to the larger ones that hold it, so that a long model stays cheap.
void dropInner(std::vector<Match>& matches) {
    std::vector<std::set<NodeId>> nodes;
    std::map<NodeId, std::vector<std::size_t>> holders;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        nodes.emplace_back(matches[i].nodes.begin(), matches[i].nodes.end());
        for (const NodeId id : nodes.back())
            holders[id].push_back(i);
    }
    std::vector<Match> kept;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        const std::vector<std::size_t>& others = holders[*nodes[i].begin()];
        if (std::none_of(others.begin(), others.end(),
                         [&](std::size_t other) { return inside(nodes[i], nodes[other]); }))
            kept.push_back(std::move(matches[i]));
    }
    matches = std::move(kept);
}

} // namespace

FoundMatches findMatches(const Graph& graph, const DeclarationTree& declaration,
                         const PatternTable& table) {
    FoundMatches out;
    const auto* rule = dynamic_cast<const RuleTree*>(&declaration);
    const auto* pattern = dynamic_cast<const PatternDeclTree*>(&declaration);
    std::vector<NamedPattern> patterns;
    if (rule != nullptr)
        patterns = rule->match;
    else if (pattern != nullptr)
        patterns.push_back({declaration.name, pattern->pattern});
    if (patterns.empty())
        return out;
    std::set<std::string> roots;
    const bool anyRoot = !rootOperators(patterns.front().pattern, table, roots);
    Matcher matcher(graph, table);
    std::set<NodeId> matched;
    for (const NodePtr& node : graph.nodes()) {
        if (node->isInput() || node->isConstant() || (!anyRoot && !roots.contains(node->op)))
            continue;
        Result<std::optional<Match>> attempt = matcher.matchAt(patterns, {node->id, 0});
        if (!attempt) {
            out.problems.push_back(attempt.takeDiag());
            continue;
        }
        std::optional<Match>& match = *attempt;
        if (!match) {
            if (matcher.nearMiss().matched > 0)
                out.nearMisses.push_back(matcher.nearMiss());
            continue;
        }
        if (match->nodes.empty())
            continue; // a chain of absent steps
        if (rule != nullptr)
            if (const std::string failed = failedCondition(*rule, graph, *match); !failed.empty()) {
                const std::size_t count = match->nodes.size();
                out.nearMisses.push_back(
                    {node->id, count, count, "where", "every condition holds", failed});
                continue;
            }
        matched.insert(match->nodes.begin(), match->nodes.end());
        out.matches.push_back(std::move(*match));
    }
    dropInner(out.matches);
    std::erase_if(out.nearMisses,
                  [&](const NearMiss& miss) { return matched.contains(miss.root); });
    std::stable_sort(
        out.nearMisses.begin(), out.nearMisses.end(), [](const NearMiss& a, const NearMiss& b) {
            const auto distance = [](const NearMiss& miss) {
                // Repeated steps may match more than the pattern counts.
                const std::size_t left = miss.total > miss.matched ? miss.total - miss.matched : 0;
                return 2 * left + (miss.clause == "where" ? 0 : 1);
            };
            return distance(a) < distance(b);
        });
    return out;
}

} // namespace fw
