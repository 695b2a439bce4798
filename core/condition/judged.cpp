#include "condition/judged.h"

#include "condition/arithmetic.h"
#include "expr/simplify.h"

#include <algorithm>

namespace fw {

Truth known(bool truth) {
    return truth ? Truth::Yes : Truth::No;
}

Judged inverse(const Judged& judged) {
    if (judged.truth != Truth::Unknown)
        return {known(judged.truth == Truth::No)};
    return {Truth::Unknown, judged.open ? std::optional(notExpr(*judged.open)) : std::nullopt};
}

Judged joined(const Judged& a, const Judged& b, Truth decisive) {
    if (a.truth == decisive || b.truth == decisive)
        return {decisive};
    if (a.truth != Truth::Unknown)
        return b;
    if (b.truth != Truth::Unknown)
        return a;
    if (!a.open || !b.open)
        return {};
    return {Truth::Unknown,
            decisive == Truth::No ? andExpr(*a.open, *b.open) : orExpr(*a.open, *b.open)};
}

Judged compare(const std::string& sign, const Expr& a, const Expr& b) {
    const Expr condition = sign == "=="   ? eqExpr(a, b)
                           : sign == "!=" ? neExpr(a, b)
                           : sign == "<"  ? ltExpr(a, b)
                           : sign == "<=" ? leExpr(a, b)
                           : sign == ">"  ? ltExpr(b, a)
                                          : leExpr(b, a);
    if (const std::optional<bool> decided = decideDims(condition))
        return {known(*decided)};
    return {Truth::Unknown, condition};
}

Truth compare(const std::string& sign, double a, double b) {
    return known(sign == "=="   ? a == b
                 : sign == "!=" ? a != b
                 : sign == "<"  ? a < b
                 : sign == "<=" ? a <= b
                 : sign == ">"  ? a > b
                                : a >= b);
}

namespace {

Judged equalLists(const Exprs& a, const Exprs& b) {
    if (a.size() != b.size())
        return {Truth::No};
    Judged out{Truth::Yes};
    for (std::size_t i = 0; i < a.size(); ++i)
        out = joined(out, compare("==", a[i], b[i]), Truth::No);
    return out;
}

} // namespace

Judged equal(const TermValue& a, const TermValue& b) {
    if (const auto* x = std::get_if<Expr>(&a), *y = std::get_if<Expr>(&b); x && y)
        return compare("==", *x, *y);
    if (const auto* x = std::get_if<Exprs>(&a), *y = std::get_if<Exprs>(&b); x && y)
        return equalLists(*x, *y);
    if (const auto* x = std::get_if<std::string>(&a), *y = std::get_if<std::string>(&b); x && y)
        return {known(*x == *y)};
    if (const auto* x = std::get_if<DType>(&a), *y = std::get_if<DType>(&b); x && y)
        return {known(*x == *y)};
    if (const auto xs = reals(a), ys = reals(b); xs && ys)
        return {known(std::equal(xs->begin(), xs->end(), ys->begin(), ys->end(), sameReal))};
    const auto x = numberOf(a), y = numberOf(b);
    return x && y ? Judged{known(sameReal(*x, *y))} : Judged{};
}

Truth equalTerms(const TermValue& a, const TermValue& b) {
    return equal(a, b).truth;
}

std::optional<bool> decideDims(const Expr& condition) {
    if (condition.isInt()) // of numbers
        return !condition.isInt(0);
    Ranges ranges;
    for (const Symbol dim : freeVars(condition))
        ranges.assume(leExpr(Expr(0), varExpr(dim)));
    return fw::decide(condition, ranges);
}

} // namespace fw
