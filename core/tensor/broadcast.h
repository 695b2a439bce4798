// Broadcasting over extents that are known only when the model runs: equal, or one of them 1.
//
// The extent of the result of N against M is an expression, select(N == 1, M, N) with the extents
// in the order of their texts, so that it is the same whatever the order of the operands. An
// operand whose own extent is not that of the result for sure is read at a clamped index: 0 where
// its extent is 1, the index of the result where the extents are equal.
//
// Each such expression names an extent twice, so behind operators that broadcast again and again it
// would double, and every kernel would ask it. Where it were longer than what is readable, and
// where both extents are computed from the same sizes, as the levels of a pyramid are, and are
// equal for some, they have to be equal, and the shorter one is that of the result; a model that is
// run with other sizes is read with these.
#pragma once

#include "expr/expr.h"

#include <optional>
#include <string>
#include <vector>

namespace fw {

// Two extents that must be equal, or one of them 1.
struct Compatibility {
    Expr a, b;
    Expr condition; // a == b || a == 1 || b == 1; a == b where they have to be equal

    std::string demand() const; // "they must be equal, or one of them 1"
};

struct Broadcast {
    Expr extent;
    std::vector<Compatibility> conditions; // what could neither be proved nor refuted
    std::optional<Compatibility> refuted;  // the first that never holds
};
Broadcast broadcast(const Expr& a, const Expr& b);

// The index into an operand with extent `own` that the result reads at `index`, which lies within
// the extent of the result: in range for every extent of the operand but 0.
Expr stretchedIndex(const Expr& index, const Expr& own);

// What stretchedIndex() was made of: the index of the result; nullopt if `index` is none.
std::optional<Expr> unstretched(const Expr& index, const Expr& own);

} // namespace fw
