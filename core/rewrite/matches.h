// Where a rule, a composite, a pattern or a chain matches a graph, and where it nearly does.
#pragma once

#include "rewrite/driver.h"
#include "syntax/fusion.h"

namespace fw {

struct FoundMatches {
    // In node order. A match that lies inside another one is not listed: of `conv >> relu?` on a
    // convolution with a relu only the pair is.
    std::vector<Match> matches;
    // Attempts that failed behind a fitting operator, the nearest first, one per root. A rule
    // whose condition refuses a complete match has matched == total and the clause `where`. A match
    // that ends before steps that may be absent counts as nearly one with the operator behind it.
    std::vector<NearMiss> nearMisses;
    Diags problems; // roots at which there were too many ways to match
};

// `declaration` is a RuleTree, a FuseTree or a PatternDeclTree; anything else gives nothing.
FoundMatches findMatches(const Graph& graph, const DeclarationTree& declaration,
                         const PatternTable& table);

} // namespace fw
