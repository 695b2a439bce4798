// Critical pairs: two rules that want some of the same operators and, each with all the rules
// behind it, come to different graphs. Both are right then, but which is asked first decides what a
// model becomes.
//
// Found on small random graphs (overlap.h), so that silence is no proof that the order is free.
#pragma once

#include "rewrite/driver.h"

namespace fw {

struct CriticalPair {
    GraphPtr graph;         // at which both match
    GraphPtr first, second; // what it becomes where the one acts first, and where the other does
};

// Of two rules of one stage of the book.
std::optional<CriticalPair> criticalPair(const std::shared_ptr<const RuleTree>& one,
                                         const std::shared_ptr<const RuleTree>& other,
                                         const RuleBook& book,
                                         const std::shared_ptr<const OperatorSet>& operators,
                                         std::uint64_t seed = 1);

} // namespace fw
