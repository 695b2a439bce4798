// What the texts of operators have beyond expressions (expr/parse.h), on values: functions of
// numbers and of lists, literals that are computed at once.
#pragma once

#include "base/result.h"
#include "expr/expr.h"

namespace fw {

// Of the functions that expressions do not have; nothing: not one of them.
std::optional<std::size_t> operandsOf(std::string_view function);

// Whether it is one whose value is a list whatever its operands are.
bool isListFunction(std::string_view function);

// One whose value is a number and which no operator is.
bool isNumberFunction(std::string_view function);

// An index expression among floats is cast to their dtype: `s[n] / (H * W)`.
void promote(Expr& a, Expr& b);
// Two real literals are computed at once, so attributes cost nothing in a kernel.
std::optional<double> foldReals(const std::string& sign, const Expr& a, const Expr& b);
std::optional<bool> compareReals(const std::string& sign, const Expr& a, const Expr& b);

// sqr, ceil_div, wrap, clamp and the functions of expressions. As many operands as operandsOf()
// says; no division by a known 0 among integers.
Result<Expr> applyTextFunction(const std::string& name, Exprs args, const Where& where);

// The largest number of an element type that is no infinity; of f32 as people write it.
Expr largestOf(DType dtype);

Result<Exprs> permuted(const Exprs& list, const Exprs& order, const Where& where);
// The list with other elements at these places.
Result<Exprs> replaced(Exprs list, const Exprs& places, const Exprs& values, const Where& where);
// The list but for the elements at these places, of which negative ones count from the end.
Result<Exprs> without(const Exprs& list, const Exprs& places, const Where& where);
// Its elements from one place to before another.
Result<Exprs> partOf(const Exprs& list, const Expr& from, const Expr& to, const Where& where);

} // namespace fw
