// Canonical index arithmetic and proofs over ranges.
//
// An index expression is brought to a sum of integer multiples of atoms (variables,
// floor-divisions, modulos, minima, products of atoms), sorted, with floor-div and mod reduced
// where ranges allow: (16*a + b) / 16 = a if 0 <= b < 16. Ranges may be symbolic (0 <= i <= N - 1),
// so `i < N` is provable for a free dimension N. What cannot be proved stays; nothing is guessed.
#pragma once

#include "expr/affine.h"
#include "expr/ranges.h"

#include <optional>

namespace fw {

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
