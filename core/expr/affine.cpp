#include "expr/affine.h"

#include "base/numbers.h"

#include <algorithm>
#include <unordered_map>

namespace fw {

namespace {

bool addTo(std::int64_t& value, std::int64_t more) {
    const auto total = checkedAdd(value, more);
    if (total)
        value = *total;
    return total.has_value();
}

bool isSameAtom(const Expr& a, const Expr& b) {
    return a.isVar() && b.isVar() ? a->symbol == b->symbol : a == b;
}

// A sum that terms are added to. Those of a short one are searched, those of a long one are found
// by their hash, so that adding n terms takes n steps.
class Sum {
public:
    explicit Sum(Affine& sum) : m_sum(sum) {}

    bool add(const Expr& atom, std::int64_t coefficient) { // false on overflow
        if (coefficient == 0)
            return true;
        const std::size_t at = placeOf(atom);
        if (at < m_sum.terms.size())
            return addTo(m_sum.terms[at].second, coefficient);
        m_sum.terms.emplace_back(atom, coefficient);
        return true;
    }

    bool addScaled(const Affine& other, std::int64_t factor) {
        for (const auto& [atom, coefficient] : other.terms) {
            const auto scaled = checkedMul(coefficient, factor);
            if (!scaled || !add(atom, *scaled))
                return false;
        }
        return addConstant(other.constant, factor);
    }

    bool addConstant(std::int64_t value, std::int64_t factor) {
        const auto scaled = checkedMul(value, factor);
        return scaled && addTo(m_sum.constant, *scaled);
    }

private:
    static constexpr std::size_t mostSearched = 16;

    std::size_t placeOf(const Expr& atom) {
        const auto& terms = m_sum.terms;
        if (terms.size() <= mostSearched)
            return static_cast<std::size_t>(
                std::find_if(terms.begin(), terms.end(),
                             [&](const auto& term) { return isSameAtom(term.first, atom); }) -
                terms.begin());
        for (; m_indexed < terms.size(); ++m_indexed)
            m_places.emplace(terms[m_indexed].first, m_indexed);
        const auto found = m_places.find(atom);
        return found == m_places.end() ? terms.size() : found->second;
    }

    Affine& m_sum;
    std::size_t m_indexed = 0; // so many terms are in m_places
    std::unordered_map<Expr, std::size_t> m_places;
};

} // namespace

bool addTerm(Affine& sum, const Expr& atom, std::int64_t coefficient) {
    return Sum(sum).add(atom, coefficient);
}

bool addScaled(Affine& sum, const Affine& other, std::int64_t factor) {
    return Sum(sum).addScaled(other, factor);
}

void normalise(Affine& sum) {
    std::erase_if(sum.terms, [](const auto& term) { return term.second == 0; });
    const auto isLess = [](const Expr& a, const Expr& b) {
        if (a.isVar() != b.isVar())
            return a.isVar();
        return a.before(b);
    };
    std::size_t sorted = std::min<std::size_t>(sum.terms.size(), 1);
    while (sorted < sum.terms.size() &&
           !isLess(sum.terms[sorted].first, sum.terms[sorted - 1].first))
        ++sorted;
    if (sorted < sum.terms.size())
        std::stable_sort(sum.terms.begin(), sum.terms.end(),
                         [&](const auto& a, const auto& b) { return isLess(a.first, b.first); });
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

const Expr& lastFactor(const Expr& e) {
    return e.op() == ExprOp::Mul ? e.arg(1) : e;
}

// Whether e is what productOf() makes of its factors.
bool isInOrder(const Expr& e) {
    for (const Expr* part = &e; part->op() == ExprOp::Mul; part = &part->arg(0))
        if (part->arg(1).op() == ExprOp::Mul || part->arg(1).isInt() || part->arg(0).isInt() ||
            part->arg(1).before(lastFactor(part->arg(0))))
            return false;
    return true;
}

// A product none of whose factors is a number, a sum or a product in another order.
bool isAtom(const Expr& e) {
    const auto isSum = [](const Expr& part) {
        return part.op() == ExprOp::Add || part.op() == ExprOp::Sub || part.op() == ExprOp::Neg;
    };
    const Expr* part = &e;
    for (; part->op() == ExprOp::Mul; part = &part->arg(0))
        if (isSum(part->arg(1)))
            return false;
    return !isSum(*part) && isInOrder(e);
}

Expr multiplyAtoms(const Expr& a, const Expr& b) {
    if (b.op() != ExprOp::Mul && !b.before(lastFactor(a)) && isInOrder(a))
        return a * b;
    Exprs factors;
    collectFactors(a, factors);
    collectFactors(b, factors);
    return productOf(std::move(factors));
}

constexpr std::size_t mostProducts = 16;

bool gather(const Expr& e, Sum& sum, std::int64_t factor) {
    switch (e.op()) {
    case ExprOp::Int:
        return sum.addConstant(e->integer, factor);
    case ExprOp::Add:
        return gather(e.arg(0), sum, factor) && gather(e.arg(1), sum, factor);
    case ExprOp::Sub:
        return factor != INT64_MIN && gather(e.arg(0), sum, factor) &&
               gather(e.arg(1), sum, -factor);
    case ExprOp::Neg:
        return factor != INT64_MIN && gather(e.arg(0), sum, -factor);
    case ExprOp::Mul: {
        if (isAtom(e))
            return sum.add(e, factor);
        const Affine a = toAffine(e.arg(0)), b = toAffine(e.arg(1));
        if (a.terms.empty())
            if (const auto scaled = checkedMul(factor, a.constant))
                return sum.addScaled(b, *scaled);
        if (b.terms.empty())
            if (const auto scaled = checkedMul(factor, b.constant))
                return sum.addScaled(a, *scaled);
        // A long sum times one atom has as many terms as before; two sums would have too many.
        if (std::min(a.terms.size(), b.terms.size()) > 1 &&
            a.terms.size() * b.terms.size() > mostProducts)
            return sum.add(e, factor);
        for (const auto& [x, cx] : a.terms)
            for (const auto& [y, cy] : b.terms) {
                const auto c = checkedMul(cx, cy);
                const auto scaled = c ? checkedMul(*c, factor) : std::nullopt;
                if (!scaled || !sum.add(multiplyAtoms(x, y), *scaled))
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
        return sum.addScaled(rest, factor);
    }
    default:
        return sum.add(e, factor);
    }
}

} // namespace

Affine toAffine(const Expr& e) {
    Affine sum;
    if (Sum all(sum); !gather(e, all, 1)) { // overflow: the whole expression is one opaque atom
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
