// How far a rule looks: where it must be asked again after a change of the graph.
#pragma once

#include "pattern/prepared.h"

namespace fw {

struct RuleReach {
    std::set<std::string> roots; // operators at which it can match
    bool anyRoot = false;        // at any
    // Operators between the root and the farthest value that it looks at; nothing: no bound.
    std::optional<std::size_t> depth;
    bool several = false; // patterns: a root may lie beside what changed
    // A value that more operators read cannot begin to match because a reader came or went;
    // nothing: no bound.
    std::optional<std::size_t> readers;
};

RuleReach reachOf(const RuleTree& rule, const PreparedPatterns& patterns,
                  const PatternTable& table);

} // namespace fw
