#include "expr/simplify.h"

#include "base/numbers.h"
#include "expr/affine.h"
#include "expr/simplify_memo.h"

#include <algorithm>
#include <numeric>

namespace fw {

namespace {

// atom / divisor when the divisor's factors are all among the atom's: N*H / H = N.
std::optional<Expr> dividedAtom(const Expr& atom, const Expr& divisor) {
    Exprs factors, by;
    collectFactors(atom, factors);
    collectFactors(divisor, by);
    for (const Expr& factor : by) {
        const auto found = std::find(factors.begin(), factors.end(), factor);
        if (found == factors.end())
            return std::nullopt;
        factors.erase(found);
    }
    return productOf(std::move(factors));
}

struct Division {
    Affine quotient;
    Affine rest;
};

// value = divisor * quotient + rest, taking every term that the divisor divides.
Division divideTerms(const Affine& value, const Expr& divisor) {
    Division out;
    const auto number = divisor.asInt();
    for (const auto& [atom, coefficient] : value.terms) {
        if (number && coefficient % *number == 0) {
            addTerm(out.quotient, atom, coefficient / *number);
        } else if (const auto divided = number ? std::nullopt : dividedAtom(atom, divisor)) {
            addScaled(out.quotient, toAffine(*divided), coefficient);
        } else {
            addTerm(out.rest, atom, coefficient);
        }
    }
    if (number) {
        out.quotient.constant = floorDiv(value.constant, *number);
        out.rest.constant = floorMod(value.constant, *number);
    } else {
        out.rest.constant = value.constant;
    }
    normalise(out.quotient);
    normalise(out.rest);
    return out;
}

bool liesBelow(const Expr& value, const Expr& limit, const Ranges& ranges) {
    return proveNonNegative(value, ranges) && proveNonNegative(limit - value - Expr(1), ranges);
}

Expr simplifyDivision(const Expr& e, const Ranges& ranges, bool wantRest) {
    const Expr &value = e.arg(0), &divisor = e.arg(1);
    const Interval sign = boundsOf(divisor, ranges);
    if (divisor.isInt(0) || !sign.min || *sign.min < 0)
        return e;
    // An extent without loops around it is one of a shape, where division by 0 is an error.
    if (*sign.min == 0 && ranges.size() > 0 && !proveNonNegative(divisor - Expr(1), ranges))
        return e;
    Division parts = divideTerms(toAffine(value), divisor);
    Expr rest = fromAffine(parts.rest);
    if (liesBelow(rest, divisor, ranges))
        return wantRest ? rest : fromAffine(parts.quotient);
    if (const auto number = divisor.asInt(); number && !parts.rest.terms.empty()) {
        // (g*r + k) / (g*d) = (r + k/g) / d
        std::int64_t g = *number;
        for (const auto& term : parts.rest.terms)
            g = std::gcd(g, term.second);
        if (g > 1 && !wantRest) {
            Affine less;
            for (const auto& [atom, coefficient] : parts.rest.terms)
                less.terms.emplace_back(atom, coefficient / g);
            less.constant = floorDiv(parts.rest.constant, g);
            const Expr quotient = floorDivExpr(fromAffine(less), Expr(*number / g));
            return fromAffine(parts.quotient) + quotient;
        }
        // (x / a + k) / b = (x + a * k) / (a * b)
        if (!wantRest && parts.rest.terms.size() == 1 && parts.rest.terms[0].second == 1) {
            const Expr& atom = parts.rest.terms[0].first;
            const auto inner = atom.op() == ExprOp::FloorDiv ? atom.arg(1).asInt() : std::nullopt;
            const bool divides = inner && *inner > 0;
            const auto product = divides ? checkedMul(*inner, *number) : std::nullopt;
            const auto more = divides ? checkedMul(*inner, parts.rest.constant) : std::nullopt;
            if (product && more)
                return fromAffine(parts.quotient) +
                       floorDivExpr(fromAffine(toAffine(atom.arg(0) + Expr(*more))),
                                    Expr(*product));
        }
    }
    return wantRest ? modExpr(rest, divisor)
                    : fromAffine(parts.quotient) + floorDivExpr(rest, divisor);
}

Expr simplifyNode(const Expr& e, const Ranges& ranges) {
    if (e.dtype() == DType::Bool) {
        if (const auto truth = decide(e, ranges))
            return boolExpr(*truth);
        return e;
    }
    switch (e.op()) {
    case ExprOp::Select:
        if (const auto truth = decide(e.arg(0), ranges))
            return *truth ? e.arg(1) : e.arg(2);
        return e;
    // A value that was read may be anything, and x * 4 / 4 is not x where x * 4 wraps.
    case ExprOp::FloorDiv:
        return isIndex(e) && !hasLoad(e) ? simplifyDivision(e, ranges, false) : e;
    case ExprOp::Mod:
        return isIndex(e) && !hasLoad(e) ? simplifyDivision(e, ranges, true) : e;
    case ExprOp::Min:
    case ExprOp::Max: {
        if (!isIndex(e))
            return e;
        const bool isMin = e.op() == ExprOp::Min;
        if (proveNonNegative(e.arg(1) - e.arg(0), ranges))
            return e.arg(isMin ? 0 : 1);
        if (proveNonNegative(e.arg(0) - e.arg(1), ranges))
            return e.arg(isMin ? 1 : 0);
        return e;
    }
    case ExprOp::Add:
    case ExprOp::Sub:
    case ExprOp::Mul:
    case ExprOp::Neg:
        return isIndex(e) && !hasLoad(e) ? fromAffine(toAffine(e)) : e;
    default:
        return e;
    }
}

} // namespace

namespace {

constexpr std::uint32_t worthKeepingSimplified = 16; // parts
constexpr std::uint32_t worthKeepingProved = 4;      // of what is proved to be simplified
constexpr std::uint32_t mostAtOnce = 4096; // parts of a sum, each as often as it stands there

class Simplification {
public:
    explicit Simplification(const Ranges& ranges) : m_ranges(ranges) {}

    Expr of(const Expr& e) {
        if (e.args().empty())
            return simplifyNode(e, m_ranges);
        if (e->parts < (isProved(e) ? worthKeepingProved : worthKeepingSimplified))
            return simplifyNode(withSimplified(e), m_ranges);
        SimplifyMemo& memo = SimplifyMemo::ofThread();
        if (!m_context)
            m_context = memo.contextOf(m_ranges);
        if (auto known = memo.find(e, m_ranges, *m_context))
            return *std::move(known);
        Expr out = simplifyNode(withSimplified(e), m_ranges);
        memo.keep(e, m_ranges, *m_context, out);
        return out;
    }

private:
    // Sums inside of a sum of indices are brought to their form with it: each of them alone would
    // take the square of its terms.
    Expr withSimplified(const Expr& e, bool insideSum = false) {
        const bool sum =
            isSum(e) && (insideSum || (isIndex(e) && e->parts < mostAtOnce && !hasLoad(e)));
        Exprs args;
        args.reserve(e.args().size());
        bool same = true;
        for (const Expr& arg : e.args()) {
            args.push_back(sum && isSum(arg) ? withSimplified(arg, true) : of(arg));
            same = same && args.back().sameNode(arg);
        }
        return same ? e : withArgs(e, std::move(args));
    }

    static bool isProved(const Expr& e) {
        switch (e.op()) {
        case ExprOp::FloorDiv:
        case ExprOp::Mod:
        case ExprOp::Min:
        case ExprOp::Max:
            return isIndex(e);
        case ExprOp::Select:
            return true;
        default:
            return e.dtype() == DType::Bool;
        }
    }

    static bool isSum(const Expr& e) {
        return e.op() == ExprOp::Add || e.op() == ExprOp::Sub || e.op() == ExprOp::Neg;
    }

    const Ranges& m_ranges;
    std::optional<std::size_t> m_context;
};

} // namespace

Expr simplify(const Expr& e, const Ranges& ranges) {
    return Simplification(ranges).of(e);
}

std::optional<Linear> linearIn(const Expr& e, Symbol var) {
    const Affine sum = toAffine(e);
    Linear out{0, Expr(0)};
    Affine rest;
    rest.constant = sum.constant;
    for (const auto& [atom, coefficient] : sum.terms) {
        if (atom.isVar() && atom->symbol == var)
            out.coefficient = coefficient;
        else if (usesVar(atom, var))
            return std::nullopt;
        else
            rest.terms.emplace_back(atom, coefficient);
    }
    out.rest = fromAffine(rest);
    return out;
}

} // namespace fw
