// Where a rule, a composite, a pattern or a chain matches a graph, and where it nearly does.
#pragma once

#include "rewrite/apply.h"
#include "rewrite/driver.h"
#include "syntax/fusion.h"

#include <chrono>
#include <limits>

namespace fw {

// When looking ends early.
struct MatchLimits {
    std::size_t matches = std::numeric_limits<std::size_t>::max();
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
    CancelToken cancel = {};
    const TargetOffer* offer = nullptr; // of the target; null: what conditions want of it is there
    RefuseMatch refuse = {};            // RuleMatchOptions::refuse
};

// One operator of a pattern, with all that leads up to it.
struct PatternStep {
    enum class Need : std::uint8_t { Must, MayBeAbsent, OneOfSeveral };
    Span span;
    Need need = Need::Must;
    PatternTree upTo; // a pattern of its own, which ends with the step
    // The steps before it that it reads: of each operand that is one, those that it may be.
    std::vector<std::vector<std::size_t>> reads = {};
};
// How many nodes a pattern matches from its beginning up to a step; how many matches are left with
// a condition. Nodes of all sizes count, also those inside larger matches.
struct FunnelCount {
    Span span; // of the step in the text
    bool condition = false;
    // Whoever does not have what it may lack stays in the running.
    PatternStep::Need need = PatternStep::Need::Must;
    std::size_t count = 0;
    // Nodes, or matches, that could have got so far; none: it reads no other step.
    std::optional<std::size_t> before;
};

struct FoundMatches {
    // In node order. A match that lies inside another one is not listed: of `conv >> relu?` on a
    // convolution with a relu only the pair is.
    std::vector<Match> matches;
    // Attempts that failed behind a fitting operator, the nearest first, one per root. A rule
    // whose condition refuses a complete match has matched == total and the clause `where`. A match
    // that ends before steps that may be absent counts as nearly one with the operator behind it.
    std::vector<NearMiss> nearMisses;
    std::size_t unchanged = 0;       // of nearMisses: the right side is what was matched
    Diags problems;                  // roots at which there were too many ways to match
    std::vector<FunnelCount> funnel; // what is read before what reads it; conditions last
    std::string stopped;             // by a limit, as a sentence; empty: this is all
};

// What a declaration matches, and under which conditions: a rule, or that of a fusion rule or a
// composite; nullptr for a pattern, which has none, and for what matches nothing.
const RuleTree* ruleOf(const DeclarationTree& declaration);
// The patterns that are matched at once, with what parameters demand; none: it matches nothing.
std::vector<NamedPattern> writtenPatterns(const DeclarationTree& declaration);
bool canMatch(const DeclarationTree& declaration); // a rule, fusion rule, composite, pattern, chain

// Of a declaration that can match; anything else gives nothing.
FoundMatches findMatches(const Graph& graph, const DeclarationTree& declaration,
                         const PatternTable& table, const MatchLimits& limits = {});

// In the order in which they are read; a chain is one step. At most 64.
std::vector<PatternStep> stepsOf(const std::vector<NamedPattern>& patterns,
                                 const PatternTable& table);

// "at r, 1 of 2 operators matched: relu(^) expected relu, found tanh"
std::string missText(const Graph& graph, const NearMiss& miss);

// The steps of a declaration's funnel without counts of its conditions, which findMatches adds.
// Each is a pattern of its own: what leads up to the step, and the step. None if the time was over.
std::vector<FunnelCount> countSteps(const Graph& graph, const std::vector<NamedPattern>& patterns,
                                    const PatternTable& table, Matcher& matcher,
                                    const MatchLimits& limits);

} // namespace fw
