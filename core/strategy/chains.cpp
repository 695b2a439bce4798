#include "strategy/chains.h"

#include "pattern/unfinished.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

const std::string anchorName = "$anchor";

PreparedPatterns behindAnchor(PatternTree chain, const PatternTable& table) {
    PatternTree pattern;
    pattern.kind = PatternKind::Sequence;
    PatternTree& anchor = pattern.args.emplace_back();
    anchor.kind = PatternKind::Capture;
    anchor.name = anchorName;
    pattern.args.push_back(std::move(chain));
    return PreparedPatterns(pattern, table);
}

// What the chain wanted where it got furthest.
std::string missedStep(const NearMiss& miss, const Workload& anchor, const Workload& next) {
    if (miss.clause.empty() || (miss.matched == 0 && miss.name == anchorName))
        return fmt::format("no step of it takes {}", next.node->op);
    if (miss.name == anchorName)
        return fmt::format("it does not lead back to {}", anchor.node->name);
    if (miss.why == Missed::Operator)
        return fmt::format("expected {}, found {}", miss.expected, miss.found);
    return fmt::format("{} expected {}, found {}", miss.clause, miss.expected, miss.found);
}

} // namespace

Chains::Prepared Chains::prepared(const PatternTable& chains, const std::string& name) {
    Prepared out;
    if (!chains.contains(name))
        return out;
    PatternTree chain;
    chain.kind = PatternKind::Capture;
    chain.name = name;
    out.whole.emplace(behindAnchor(chain, chains));
    if (std::optional<PatternTree> inside = unfinished(chain, chains))
        out.begun.emplace(behindAnchor(std::move(*inside), chains));
    return out;
}

Acceptance Chains::takes(const PatternTable& chains, const Absorbs& absorbs, const Growing& group,
                         const Workload& next) {
    const auto refuse = [&](std::string why) {
        return Acceptance{
            Verdict::No, ReasonCode::CannotAbsorb,
            fmt::format("{} is not in the chain {}: {}", next.node->op, absorbs.chain, why)};
    };
    const auto kept =
        m_prepared.answer(absorbs.chain, [&] { return prepared(chains, absorbs.chain); });
    const Prepared& chain = *kept;
    if (!chain.whole)
        return refuse("there is no such chain");
    std::vector<NodeId> wanted = group.epilogue;
    wanted.push_back(next.node->id);
    std::sort(wanted.begin(), wanted.end());
    MatchOptions options;
    options.offer = absorbs.offer.get();
    options.bound.emplace(anchorName, ValueRef{group.anchor.node->id, 0});
    Matcher matcher(*next.graph, chains, options);
    bool other = false; // a match of other operators
    const auto search = [&](const PreparedPatterns& patterns, bool all) {
        return matcher.matchAt(patterns, {next.node->id, 0}, [&](const Match& match) {
            std::vector<NodeId> matched = match.nodes;
            std::sort(matched.begin(), matched.end());
            const bool fits =
                all ? matched == wanted
                    : !matched.empty() && std::includes(wanted.begin(), wanted.end(),
                                                        matched.begin(), matched.end());
            other = other || !fits;
            return fits;
        });
    };
    const Result<std::optional<Match>> found = search(*chain.whole, true);
    if (!found)
        return refuse(found.diag().message);
    Acceptance yes{Verdict::Yes, ReasonCode::FusedEpilogue, absorbs.chain};
    if (*found)
        return yes;
    const bool leftOut = other;
    const NearMiss miss = matcher.nearMiss();
    if (chain.begun) {
        const Result<std::optional<Match>> begun = search(*chain.begun, false);
        if (!begun)
            return refuse(begun.diag().message);
        yes.open = true;
        if (*begun)
            return yes;
    }
    return refuse(leftOut ? "it leaves out an operator of the group"
                          : missedStep(miss, group.anchor, next));
}

} // namespace fw
