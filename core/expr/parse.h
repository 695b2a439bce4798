// From text back to an expression: parseExpr(e.text()) == e. Loop text and graph text use it.
//
// What names mean is the caller's: a scope says the dtype of variables and of tensors. Literals are
// i64 and f32 and adapt to the other operand; `/` and `%` on integers round toward minus infinity.
#pragma once

#include "base/result.h"
#include "expr/expr.h"
#include "syntax/parser.h"

#include <functional>

namespace fw {

struct ExprScope {
    // nullopt: no such name. Left empty, every name is an index variable and every tensor is f32.
    std::function<std::optional<Expr>(const std::string&)> variable;
    std::function<std::optional<DType>(const std::string&)> tensor;
    std::string file; // for errors
};

Result<Expr> elaborateExpr(const Tree& tree, const ExprScope& scope = {});
Result<Expr> parseExpr(std::string_view text, const ExprScope& scope = {});

std::optional<Expr> literalOf(const std::string& name); // true, false, inf, nan

// The operators of trees on expressions whose dtypes are equal or literals; shared with other
// elaborators. TextType if the operands do not fit.
Result<Expr> applyInfix(const std::string& sign, const Expr& left, const Expr& right,
                        const Where& where);
Result<Expr> applyPrefix(const std::string& sign, const Expr& operand, const Where& where);
// TextType unless both types take the same bytes.
Result<Expr> applyBitCast(const Expr& value, DType dtype, const Where& where);
// min, max, fma, div, select and the math functions; nullopt if there is no such function.
std::optional<Result<Expr>> applyFunction(const std::string& name, const Exprs& args,
                                          const Where& where);

} // namespace fw
