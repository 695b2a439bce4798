// Sums of integer multiples of atoms, and how an index expression becomes one. Overflow never
// wraps: the whole expression is then one opaque atom.
#include "expr/affine.h"

#include "base/numbers.h"

#include <algorithm>

namespace fw {

// Adds coefficient * atom; false on overflow.
bool addTerm(Affine& sum, const Expr& atom, std::int64_t coefficient) {
    if (coefficient == 0)
        return true;
    const bool isVar = atom.isVar();
    for (auto& [known, value] : sum.terms) {
        if (isVar ? !known.isVar() || known->symbol != atom->symbol : !(known == atom))
            continue;
        const auto total = checkedAdd(value, coefficient);
        if (!total)
            return false;
        value = *total;
        return true;
    }
    sum.terms.emplace_back(atom, coefficient);
    return true;
}

bool addScaled(Affine& sum, const Affine& other, std::int64_t factor) {
    for (const auto& [atom, coefficient] : other.terms) {
        const auto scaled = checkedMul(coefficient, factor);
        if (!scaled || !addTerm(sum, atom, *scaled))
            return false;
    }
    const auto constant = checkedMul(other.constant, factor);
    const auto total = constant ? checkedAdd(sum.constant, *constant) : std::nullopt;
    if (!total)
        return false;
    sum.constant = *total;
    return true;
}

void normalise(Affine& sum) {
    std::erase_if(sum.terms, [](const auto& term) { return term.second == 0; });
    if (sum.terms.size() > 1)
        std::stable_sort(sum.terms.begin(), sum.terms.end(), [](const auto& a, const auto& b) {
            if (a.first.isVar() && b.first.isVar())
                return a.first->symbol < b.first->symbol;
            if (a.first.isVar() != b.first.isVar())
                return a.first.isVar();
            return a.first.before(b.first);
        });
}

void collectFactors(const Expr& e, Exprs& factors) {
    if (e.op() == ExprOp::Mul) {
        collectFactors(e.arg(0), factors);
        collectFactors(e.arg(1), factors);
    } else {
        factors.push_back(e);
    }
}

// A product of atoms in one canonical order.
Expr productOf(Exprs factors) {
    std::stable_sort(factors.begin(), factors.end(),
                     [](const Expr& a, const Expr& b) { return a.before(b); });
    Expr out(1);
    for (const Expr& factor : factors)
        out = out * factor;
    return out;
}

namespace {

Expr multiplyAtoms(const Expr& a, const Expr& b) {
    Exprs factors;
    collectFactors(a, factors);
    collectFactors(b, factors);
    return productOf(std::move(factors));
}

bool gather(const Expr& e, Affine& sum, std::int64_t factor) {
    switch (e.op()) {
    case ExprOp::Int: {
        const auto value = checkedMul(e->integer, factor);
        const auto total = value ? checkedAdd(sum.constant, *value) : std::nullopt;
        if (!total)
            return false;
        sum.constant = *total;
        return true;
    }
    case ExprOp::Add:
        return gather(e.arg(0), sum, factor) && gather(e.arg(1), sum, factor);
    case ExprOp::Sub:
        return factor != INT64_MIN && gather(e.arg(0), sum, factor) &&
               gather(e.arg(1), sum, -factor);
    case ExprOp::Neg:
        return factor != INT64_MIN && gather(e.arg(0), sum, -factor);
    case ExprOp::Mul: {
        const Affine a = toAffine(e.arg(0)), b = toAffine(e.arg(1));
        if (a.terms.empty())
            if (const auto scaled = checkedMul(factor, a.constant))
                return addScaled(sum, b, *scaled);
        if (b.terms.empty())
            if (const auto scaled = checkedMul(factor, b.constant))
                return addScaled(sum, a, *scaled);
        if (a.terms.size() * b.terms.size() > 16)
            return addTerm(sum, e, factor);
        for (const auto& [x, cx] : a.terms)
            for (const auto& [y, cy] : b.terms) {
                const auto c = checkedMul(cx, cy);
                const auto scaled = c ? checkedMul(*c, factor) : std::nullopt;
                if (!scaled || !addTerm(sum, multiplyAtoms(x, y), *scaled))
                    return false;
            }
        Affine rest;
        Affine aTerms = a, bTerms = b;
        aTerms.constant = bTerms.constant = 0;
        if (!addScaled(rest, aTerms, b.constant) || !addScaled(rest, bTerms, a.constant))
            return false;
        const auto constant = checkedMul(a.constant, b.constant);
        if (!constant)
            return false;
        rest.constant = *constant;
        return addScaled(sum, rest, factor);
    }
    default:
        return addTerm(sum, e, factor);
    }
}

} // namespace

Affine toAffine(const Expr& e) {
    Affine sum;
    if (!gather(e, sum, 1)) { // overflow: the whole expression is one opaque atom
        sum = {};
        sum.terms.emplace_back(e, 1);
        return sum;
    }
    normalise(sum);
    return sum;
}

Expr fromAffine(const Affine& affine) {
    Expr out(0);
    // Positive terms first: i - 1 instead of -1 + i.
    for (const auto& [atom, coefficient] : affine.terms)
        if (coefficient > 0)
            out = out + atom * Expr(coefficient);
    for (const auto& [atom, coefficient] : affine.terms) {
        if (coefficient >= 0)
            continue;
        if (out.isInt(0))
            out = atom * Expr(coefficient);
        else
            out = out - atom * Expr(-coefficient);
    }
    if (affine.constant < 0 && affine.constant != INT64_MIN && !out.isInt())
        return out - Expr(-affine.constant);
    return out + Expr(affine.constant);
}

} // namespace fw
