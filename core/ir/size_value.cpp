#include "ir/size_value.h"

#include "base/numbers.h"
#include "expr/scalar.h"
#include "expr/simplify.h"

#include <algorithm>

namespace fw::size_values {

namespace {

// What files write for the end of an axis lies beyond every extent, which are below 2^40: whether
// `number` does, or else the size that it is counted from, and on which side: -1, 1, or 0 for none.
int farSide(const Expr& size, std::int64_t number) {
    constexpr std::int64_t far = std::int64_t(1) << 60, near = far / 2, most = 1 << 16;
    const Affine affine = toAffine(size);
    if (std::any_of(affine.terms.begin(), affine.terms.end(),
                    [&](const auto& term) { return term.second > most || term.second < -most; }))
        return 0;
    const std::int64_t from = affine.constant;
    if (from > -near && from < near)
        return number >= far ? -1 : number <= -far ? 1 : 0;
    return number <= -near || number >= near ? 0 : from >= far ? 1 : from <= -far ? -1 : 0;
}

// Whether the type has every value that it may take; a dimension may be as large as it likes in I64
// and I32 alone.
bool holds(DType dtype, const Size& size) {
    if (dtype == DType::Bool)
        return size.isWhole();
    const auto number = size.number();
    if (isFloat(dtype)) // whole numbers as far as all of them are values
        return number ? roundReal(dtype, static_cast<double>(*number)) ==
                                static_cast<double>(*number) &&
                            *number > -(std::int64_t(1) << 53) && *number < (std::int64_t(1) << 53)
                      : dtype == DType::F64;
    if (!size.isWhole())
        return false;
    if (!number)
        return dtype == DType::I64 || dtype == DType::I32;
    return wrapTo(dtype, *number) == *number && (dtype != DType::U64 || *number >= 0);
}

} // namespace

Maybe whole(std::int64_t value) {
    return Size{intExpr(value)};
}

Maybe truth(const Expr& condition) {
    const auto decided = decide(condition);
    return Size{decided ? boolExpr(*decided) : simplify(condition)};
}

bool isPositive(const Expr& e) {
    return e.asInt() ? *e.asInt() > 0 : proveNonNegative(e - Expr(1));
}

bool isNonNegative(const Expr& e) {
    return e.asInt() ? *e.asInt() >= 0 : proveNonNegative(e);
}

Maybe held(DType dtype, Maybe size) {
    return size && holds(dtype, *size) ? size : std::nullopt;
}

Maybe sum(DType dtype, const Maybe& a, const Maybe& b) {
    if (!a || !b || !a->isWhole() || !b->isWhole())
        return std::nullopt;
    const auto x = a->number(), y = b->number();
    if (!x || !y)
        return held(dtype, Size{simplify(a->over + b->over)});
    const auto exact = checkedAdd(*x, *y);
    return exact ? held(dtype, whole(*exact)) : std::nullopt;
}

Maybe product(DType dtype, const Maybe& a, const Maybe& b) {
    if (!a || !b)
        return std::nullopt;
    const auto x = a->number(), y = b->number();
    if (!x || !y)
        return held(dtype, Size{simplify(a->over * b->over), simplify(a->under * b->under)});
    const auto exact = checkedMul(*x, *y);
    return exact ? held(dtype, whole(*exact)) : std::nullopt;
}

Maybe extreme(bool larger, const Maybe& a, const Maybe& b) {
    if (!a || !b || !a->isWhole() || !b->isWhole())
        return std::nullopt;
    if (const auto x = a->number(), y = b->number(); x && y)
        return whole(larger ? std::max(*x, *y) : std::min(*x, *y));
    const Maybe& size = a->number() ? b : a;
    const Maybe& fixed = a->number() ? a : b;
    if (fixed->number())
        if (const int side = farSide(size->over, *fixed->number()); side != 0)
            return (side > 0) == larger ? size : fixed;
    return Size{simplify(larger ? maxExpr(a->over, b->over) : minExpr(a->over, b->over))};
}

Maybe minus(DType dtype, const Maybe& a) {
    if (!a || a->number() == INT64_MIN)
        return std::nullopt;
    return held(dtype, a->number() ? whole(-*a->number()) : Size{simplify(-a->over), a->under});
}

Maybe rounded(const Maybe& a, Expr (*divide)(const Expr&, const Expr&)) {
    if (!a || a->isWhole())
        return a;
    return Size{simplify(divide(a->over, a->under))};
}

Maybe quotient(const Maybe& a, const Maybe& b) {
    if (!a || !b || !isPositive(b->over))
        return std::nullopt;
    const auto x = a->number(), y = b->number();
    if (x && y && *x % *y == 0)
        return whole(*x / *y);
    return Size{simplify(a->over * b->under), simplify(a->under * b->over)};
}

} // namespace fw::size_values
