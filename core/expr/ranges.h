// What is known of variables where an expression stands.
#pragma once

#include "expr/expr.h"

#include <vector>

namespace fw {

bool isIndex(const Expr& e);    // of the type of indices
bool looksLikeDim(Symbol name); // in upper case: a free dimension

struct Range {
    Symbol var;
    Expr min; // inclusive
    Expr max; // inclusive; may mention outer variables and free dimensions
};

// What is known: ranges of variables, innermost last (a range may mention only earlier ones), and
// truths found on the way down a loop nest (each an expression known to be >= 0).
class Ranges {
public:
    void push(Symbol var, Expr min, Expr max);
    void pop();
    void assume(const Expr& condition); // a Bool expression known to hold; conjunctions are split
    std::size_t size() const { return m_ranges.size(); }
    const Range* find(Symbol var) const;
    const std::vector<Range>& all() const { return m_ranges; }
    const std::vector<Expr>& facts() const { return m_facts; }
    std::size_t factCount() const { return m_facts.size(); }
    void dropFacts(std::size_t keep) { m_facts.resize(keep); }
    bool isFilled(Symbol dim) const; // at least 1, since a range that it ends has a value

private:
    std::vector<Range> m_ranges;
    std::vector<Symbol> m_filled;        // by the ranges, in their order
    std::vector<std::size_t> m_filledBy; // how many of them, for each range
    std::vector<Expr> m_facts;
};

} // namespace fw
