// Canonical index arithmetic and proofs over ranges.
//
// An index expression is brought to a sum of integer multiples of atoms (variables,
// floor-divisions, modulos, minima, products of atoms), sorted, with floor-div and mod reduced
// where ranges allow: (16*a + b) / 16 = a if 0 <= b < 16. Ranges may be symbolic (0 <= i <= N - 1),
// so `i < N` is provable for a free dimension N. What cannot be proved stays; nothing is guessed.
#pragma once

#include "expr/expr.h"

#include <optional>
#include <utility>
#include <vector>

namespace fw {

struct Affine {
    std::vector<std::pair<Expr, std::int64_t>> terms; // atom, coefficient != 0; sorted by text
    std::int64_t constant = 0;
};
Affine toAffine(const Expr& e); // every index expression has one; opaque parts are atoms
Expr fromAffine(const Affine& affine);

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
    std::vector<Symbol> m_filled; // by the ranges, in their order
    std::vector<std::size_t> m_filledBy; // how many of them, for each range
    std::vector<Expr> m_facts;
};

// Free dimensions without a range count as >= 0 when named in upper case, as dims are.
struct Interval {
    std::optional<std::int64_t> min;
    std::optional<std::int64_t> max;
};
Interval boundsOf(const Expr& e, const Ranges& ranges = {});

bool proveNonNegative(const Expr& e, const Ranges& ranges = {});
bool proveEqual(const Expr& a, const Expr& b, const Ranges& ranges = {});
bool proveDifferent(const Expr& a, const Expr& b, const Ranges& ranges = {});
// true / false when decided, nullopt otherwise. Takes comparisons, And, Or, Not and constants.
std::optional<bool> decide(const Expr& condition, const Ranges& ranges = {});

// Simplifies indices, conditions and the indices inside loads; value arithmetic is left as written
// except for select() and pad() whose condition is decided.
Expr simplify(const Expr& e, const Ranges& ranges = {});

// e = coefficient * var + rest with `rest` free of var, if e is affine in var.
struct Linear {
    std::int64_t coefficient;
    Expr rest;
};
std::optional<Linear> linearIn(const Expr& e, Symbol var);

} // namespace fw
