#include "condition/arithmetic.h"

#include "expr/simplify.h"

#include <algorithm>

namespace fw {

namespace {

using Note = std::function<void(const std::string&)>;

std::optional<TermValue> combine(const std::string& sign, const Expr& x, const Expr& y,
                                 const Note& note) {
    if (sign == "+")
        return simplify(x + y);
    if (sign == "-")
        return simplify(x - y);
    if (sign == "*")
        return simplify(x * y);
    if (sign == "min")
        return simplify(minExpr(x, y));
    if (sign == "max")
        return simplify(maxExpr(x, y));
    if (y.isInt(0)) {
        note("division by 0");
        return std::nullopt;
    }
    if (sign == "/")
        return simplify(floorDivExpr(x, y));
    return sign == "%" ? std::optional<TermValue>(simplify(modExpr(x, y))) : std::nullopt;
}

std::optional<TermValue> combine(const std::string& sign, double x, double y) {
    if (sign == "+")
        return x + y;
    if (sign == "-")
        return x - y;
    if (sign == "*")
        return x * y;
    if (sign == "min" || sign == "max")
        return sign == "min" ? std::min(x, y) : std::max(x, y);
    return sign == "/" && y != 0 ? std::optional<TermValue>(x / y) : std::nullopt;
}

// Where one side at least is a list with reals.
std::optional<TermValue> combineReals(const std::string& sign, const TermValue& a,
                                      const TermValue& b) {
    const auto x = numberOf(a), y = numberOf(b);
    const auto xs = reals(a), ys = reals(b);
    if (!(xs || x) || !(ys || y) || (xs && ys && xs->size() != ys->size()))
        return std::nullopt;
    Reals out;
    for (std::size_t i = 0; i < (xs ? xs->size() : ys->size()); ++i) {
        const auto item = combine(sign, xs ? (*xs)[i] : *x, ys ? (*ys)[i] : *y);
        if (!item)
            return std::nullopt;
        out.push_back(std::get<double>(*item));
    }
    return out;
}

} // namespace

std::optional<Reals> reals(const TermValue& value) {
    if (const auto* list = std::get_if<Reals>(&value))
        return *list;
    const auto* list = std::get_if<Exprs>(&value);
    Reals out;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
        if (const auto item = numberOf((*list)[i]))
            out.push_back(*item);
    return list != nullptr && out.size() == list->size() ? std::optional(out) : std::nullopt;
}

std::optional<TermValue> combined(const std::string& sign, const TermValue& a, const TermValue& b,
                                  const Note& note) {
    const auto *x = std::get_if<Expr>(&a), *y = std::get_if<Expr>(&b);
    if (x && y)
        return combine(sign, *x, *y, note);
    const auto *xs = std::get_if<Exprs>(&a), *ys = std::get_if<Exprs>(&b);
    if ((xs || x) && (ys || y)) {
        if (xs && ys && xs->size() != ys->size())
            return std::nullopt;
        Exprs out;
        for (std::size_t i = 0; i < (xs ? xs->size() : ys->size()); ++i) {
            const auto item = combine(sign, xs ? (*xs)[i] : *x, ys ? (*ys)[i] : *y, note);
            if (!item)
                return std::nullopt;
            out.push_back(std::get<Expr>(*item));
        }
        return out;
    }
    if (const auto p = numberOf(a), q = numberOf(b); p && q)
        return combine(sign, *p, *q);
    return combineReals(sign, a, b);
}

} // namespace fw
