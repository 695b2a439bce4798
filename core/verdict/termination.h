// Whether a set of rules comes to an end by itself: weights of operators under which every
// application makes the graph lighter, found by linear programming (the interpretation method of
// term rewriting, with one constant per operator, since graphs share what terms would copy).
//
// A rule without such weights may end all the same; then the driver's guards are what ends it.
#pragma once

#include "rewrite/driver.h"

namespace fw {

struct NotShownToEnd {
    std::size_t rule = 0; // its place among those that were given
    // A rule before it with which it has no weights in common; empty: it has none alone, or none
    // with all of them.
    std::string beside;
    bool alone = false; // it has none alone: it may act on what it made
};

// Rules that are applied until nothing changes, stage by stage, each with those before it that have
// weights.
std::vector<NotShownToEnd> notShownToEnd(const std::vector<std::shared_ptr<const RuleTree>>& rules,
                                         const PatternTable& table, const CancelToken& cancel = {});

} // namespace fw
