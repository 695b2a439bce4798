// What is known is kept in the form in which it will be compared: proofs and simplification say
// which.
#include "base/numbers.h"
#include "expr/affine.h"
#include "expr/simplify.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace fw {

bool isIndex(const Expr& e) {
    return e.dtype() == DType::I64;
}

bool looksLikeDim(Symbol name) {
    return !name.empty() && std::isupper(static_cast<unsigned char>(name.text()[0])) != 0;
}

namespace {

// The dimensions that are at least 1 where extent - 1 >= 0: N of N - 1, of N * M - 1 and of
// (N + 7) / 8 - 1.
void collectFilled(const Expr& last, std::vector<Symbol>& dims) {
    const Affine sum = toAffine(last);
    if (sum.terms.size() != 1 || sum.terms[0].second <= 0 || sum.constant >= 0)
        return;
    const Expr& atom = sum.terms[0].first;
    if (atom.op() == ExprOp::FloorDiv && atom.arg(1).isInt() && atom.arg(1)->integer > 0)
        return collectFilled(atom.arg(0) - Expr(atom.arg(1)->integer), dims);
    Exprs factors;
    collectFactors(atom, factors);
    for (const Expr& factor : factors)
        if (!factor.isVar() || !looksLikeDim(factor->symbol))
            return;
    for (const Expr& factor : factors)
        dims.push_back(factor->symbol);
}

// An end of the values of a variable, without the clamps that only say that there may be none: it
// has a value between `end` and `other`, so of min(a, b) as its least one and b behind the
// greatest, it is a. Those of loops that were split say so.
Expr withoutClamps(const Expr& end, const Expr& other, ExprOp clamp, const Ranges& ranges) {
    const Affine sum = toAffine(end);
    if (sum.terms.size() != 1 || sum.terms[0].second != 1)
        return end;
    const Expr atom = sum.terms[0].first;
    if (atom.op() != ExprOp::Min && atom.op() != ExprOp::Max)
        return end;
    const auto part = [&](std::size_t i) { return atom.arg(i) + Expr(sum.constant); };
    if (atom.op() != clamp) {
        const Expr a = withoutClamps(part(0), other, clamp, ranges),
                   b = withoutClamps(part(1), other, clamp, ranges);
        if (a == part(0) && b == part(1)) // not in another form, which would not cancel
            return end;
        return clamp == ExprOp::Min ? maxExpr(a, b) : minExpr(a, b);
    }
    for (const std::size_t i : {1U, 0U}) {
        const Expr beyond = clamp == ExprOp::Min ? part(i) - other : other - part(i);
        if (proveNonNegative(beyond - Expr(1), ranges))
            return withoutClamps(part(1 - i), other, clamp, ranges);
    }
    return end;
}

} // namespace

void Ranges::push(Symbol var, Expr min, Expr max) {
    // What is known simplifies an end as it will simplify what is compared with it, else they do
    // not cancel.
    if (!m_facts.empty()) {
        min = simplify(min, *this);
        max = simplify(max, *this);
    }
    // A loop from 0 on is not the rest of one that was split; its end is the extent that others are
    // compared with.
    if (!min.isInt(0)) {
        const Expr least = withoutClamps(min, max, ExprOp::Min, *this);
        max = withoutClamps(max, min, ExprOp::Max, *this);
        min = least;
    }
    const std::size_t before = m_filled.size();
    collectFilled(max - min, m_filled); // the variable has a value
    m_ranges.push_back({var, std::move(min), std::move(max)});
    m_filledBy.push_back(m_filled.size() - before);
}

void Ranges::pop() {
    m_ranges.pop_back();
    m_filled.resize(m_filled.size() - m_filledBy.back());
    m_filledBy.pop_back();
}

bool Ranges::isFilled(Symbol dim) const {
    return std::find(m_filled.begin(), m_filled.end(), dim) != m_filled.end();
}

const Range* Ranges::find(Symbol var) const {
    for (auto it = m_ranges.rbegin(); it != m_ranges.rend(); ++it)
        if (it->var == var)
            return &*it;
    return nullptr;
}

namespace {

// e >= 0 in least terms: of 2 * N - 3 it is N - 2.
Expr inLeastTerms(const Expr& e) {
    Affine sum = toAffine(e);
    std::int64_t common = 0;
    for (const auto& term : sum.terms)
        common = std::gcd(common, term.second);
    if (common < 2)
        return e;
    for (auto& term : sum.terms)
        term.second /= common;
    sum.constant = floorDiv(sum.constant, common);
    return fromAffine(sum);
}

} // namespace

void Ranges::assume(const Expr& condition) {
    const auto know = [this](const Expr& e) { m_facts.push_back(inLeastTerms(e)); };
    switch (condition.op()) {
    case ExprOp::And:
        assume(condition.arg(0));
        assume(condition.arg(1));
        return;
    case ExprOp::Lt:
        if (isIndex(condition.arg(0)))
            know(condition.arg(1) - condition.arg(0) - Expr(1));
        return;
    case ExprOp::Le:
        if (isIndex(condition.arg(0)))
            know(condition.arg(1) - condition.arg(0));
        return;
    case ExprOp::Eq:
        if (isIndex(condition.arg(0))) {
            know(condition.arg(1) - condition.arg(0));
            know(condition.arg(0) - condition.arg(1));
        }
        return;
    case ExprOp::Not: {
        const Expr& inner = condition.arg(0);
        if (inner.op() == ExprOp::Lt)
            assume(leExpr(inner.arg(1), inner.arg(0)));
        else if (inner.op() == ExprOp::Le)
            assume(ltExpr(inner.arg(1), inner.arg(0)));
        else if (inner.op() == ExprOp::Or) {
            assume(notExpr(inner.arg(0)));
            assume(notExpr(inner.arg(1)));
        }
        return;
    }
    default:
        return;
    }
}

} // namespace fw
