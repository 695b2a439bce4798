// Sizes as values: quotients of index expressions over free dimensions, and what becomes of them
// under arithmetic. Nothing: the result is not known, or its type has not every value it may take.
#pragma once

#include "expr/expr.h"

#include <cstdint>
#include <optional>

namespace fw::size_values {

// over / under, where `under` is positive; of integers and truths 1. A truth that is not proved is
// a condition.
struct Size {
    Expr over;
    Expr under = intExpr(1);

    bool isWhole() const { return under.isInt(1); }
    std::optional<std::int64_t> number() const { return isWhole() ? over.asInt() : std::nullopt; }
};
using Maybe = std::optional<Size>;

Maybe whole(std::int64_t value);
Maybe truth(const Expr& condition);
bool isPositive(const Expr& e);
bool isNonNegative(const Expr& e);
Maybe held(DType dtype, Maybe size); // if the type has every value that it may take

Maybe sum(DType dtype, const Maybe& a, const Maybe& b);
Maybe product(DType dtype, const Maybe& a, const Maybe& b);
Maybe extreme(bool larger, const Maybe& a, const Maybe& b);
Maybe minus(DType dtype, const Maybe& a);
Maybe quotient(const Maybe& a, const Maybe& b);
// Rounded down or up. Doubles that are rounded give the same as long as extents are below 2^52.
Maybe rounded(const Maybe& a, Expr (*divide)(const Expr&, const Expr&));

} // namespace fw::size_values
