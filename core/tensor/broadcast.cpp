#include "tensor/broadcast.h"

#include "condition/condition.h"
#include "expr/simplify.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

constexpr std::uint32_t longestExtent = 128; // parts of the expression as it is written out

// The extents that a result's extent was made of: select(N == 1, M, N) is {N, M}.
void collectExtents(const Expr& extent, Exprs& out) {
    if (extent.op() == ExprOp::Select && extent.arg(0) == eqExpr(extent.arg(2), Expr(1))) {
        collectExtents(extent.arg(2), out);
        return collectExtents(extent.arg(1), out);
    }
    if (std::none_of(out.begin(), out.end(),
                     [&](const Expr& known) { return proveEqual(known, extent); }))
        out.push_back(extent);
}

// select(extent == 1, other, extent). What is 1 with it, min(N, 512) where N is, adds nothing.
Expr unlessOne(const Expr& extent, const Expr& other) {
    if (extent.isVar() && usesVar(other, extent->symbol) &&
        simplify(substitute(other, {{extent->symbol, Expr(1)}})).isInt(1))
        return extent;
    return selectExpr(eqExpr(extent, Expr(1)), other, extent);
}

Expr joined(Exprs extents) {
    std::erase_if(extents, [](const Expr& extent) { return extent.isInt(1); });
    // A number other than 1 is the extent: whatever fits it is equal to it or 1.
    for (const Expr& extent : extents)
        if (extent.isInt())
            return extent;
    std::sort(extents.begin(), extents.end(),
              [](const Expr& a, const Expr& b) { return a.before(b); });
    Expr out = extents.empty() ? Expr(1) : extents.back();
    for (std::size_t i = extents.size(); i-- > 1;)
        out = unlessOne(extents[i - 1], out);
    return out;
}

// Whether both are computed from the same free sizes and are equal, and not 1, at sizes that
// networks are run with: halves that are doubled again, of sizes that can be halved so often, or of
// one more than these, and so on.
bool agreeSomewhere(const Expr& a, const Expr& b) {
    constexpr std::int64_t halved = std::int64_t(1) << 12, odd = 3 * 3 * 5 * 7, offsets = 32;
    const std::set<Symbol> sizes = freeVars(a);
    if (sizes.empty() || sizes != freeVars(b))
        return false;
    for (std::int64_t offset = 0; offset < offsets; ++offset) {
        Bindings at;
        for (const Symbol size : sizes)
            at[size] = static_cast<std::int64_t>(at.size() + 1) * halved * odd + offset;
        const auto one = evalIndex(a, at), other = evalIndex(b, at);
        if (one && other && *one == *other && *one > 1)
            return true;
    }
    return false;
}

} // namespace

std::string Compatibility::demand() const {
    return condition.op() == ExprOp::Eq ? "they must be equal: neither is taken for 1"
                                        : "they must be equal, or one of them 1";
}

Broadcast broadcast(const Expr& a, const Expr& b) {
    Broadcast out;
    Exprs left, right;
    collectExtents(a, left);
    collectExtents(b, right);
    for (const Expr& x : left)
        for (const Expr& y : right) {
            if (proveEqual(x, y))
                continue;
            const bool ordered = !x.isInt() && (y.isInt() || x.before(y));
            const Expr &first = ordered ? x : y, &second = ordered ? y : x;
            const Expr condition = orExpr(orExpr(eqExpr(first, second), eqExpr(first, Expr(1))),
                                          eqExpr(second, Expr(1)));
            const std::optional<bool> holds = decideDims(condition);
            if (!holds)
                out.conditions.push_back({x, y, condition});
            else if (!*holds && !out.refuted)
                out.refuted = Compatibility{x, y, condition};
        }
    Exprs all = left;
    for (const Expr& extent : right)
        collectExtents(extent, all);
    out.extent = joined(std::move(all));
    if (out.conditions.empty() || out.refuted ||
        (out.extent->parts <= longestExtent && !agreeSomewhere(a, b)))
        return out;
    const Expr equal = eqExpr(a, b);
    if (decideDims(equal) == std::optional(false))
        return out;
    const bool first = a->parts != b->parts ? a->parts < b->parts : a.before(b);
    out.conditions = {{a, b, first ? equal : eqExpr(b, a)}};
    out.extent = first ? a : b;
    return out;
}

Expr stretchedIndex(const Expr& index, const Expr& own) {
    return maxExpr(minExpr(index, own - Expr(1)), Expr(0));
}

std::optional<Expr> unstretched(const Expr& index, const Expr& own) {
    if (index.op() != ExprOp::Max || index.arg(0).op() != ExprOp::Min || !index.arg(1).isInt(0) ||
        !proveEqual(index.arg(0).arg(1), own - Expr(1)))
        return std::nullopt;
    return index.arg(0).arg(0);
}

} // namespace fw
