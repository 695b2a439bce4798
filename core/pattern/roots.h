// Where a pattern can begin to match, so that only these nodes are tried.
#pragma once

#include "ir/graph.h"
#include "pattern/declared.h"

namespace fw {

// Adds the operators that a match can have at its root. False: any operator.
bool rootOperators(const PatternTree& pattern, const PatternTable& table,
                   std::set<std::string>& names, int depth = 0);

// The values of a graph at which a pattern may match.
class PossibleRoots {
public:
    PossibleRoots(const PatternTree& pattern, const PatternTable& table);

    // Results of the node, none of an input or a constant: the first, or those of `out(i, ...)`.
    std::vector<ValueRef> at(const Node& node) const;
    bool anyOperator() const { return m_any; }
    const std::set<std::string>& operators() const { return m_operators; } // unless any

private:
    std::set<std::string> m_operators;
    bool m_any = false;
    int m_output = 0; // -1: any
};

} // namespace fw
