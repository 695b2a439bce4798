// The tree of a test beside a rule, a pattern or a built-in rewrite, written as in
// resources/docs/grammar.md.
//
// Without `of` it is about the declaration before it that can match. The graphs are `graph`
// declarations. TEXT behind `none` is part of the reason that the nearest miss must give.
#pragma once

#include "syntax/graph.h"

namespace fw {

enum class ExpectKind : std::uint8_t { Match, None, Becomes };

struct ExpectTree {
    ExpectKind kind = ExpectKind::Match;
    std::int64_t count = 0;                 // Match
    std::string reason;                     // None; empty: any
    std::shared_ptr<const GraphTree> graph; // Becomes
    Span span;
};

struct TestTree : DeclarationTree { // named by its text
    std::string of;                 // empty: what stands before it
    std::shared_ptr<const GraphTree> graph;
    std::vector<ExpectTree> expects;
};

} // namespace fw
