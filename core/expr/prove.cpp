#include "expr/simplify.h"

#include "base/numbers.h"
#include "expr/affine.h"
#include "expr/evaluate.h"
#include "expr/simplify_memo.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

constexpr int maxDepth = 12;              // of proofs; deeper chains stay unproved
constexpr std::uint32_t worthKeeping = 4; // parts of what is proved

using Bound = std::optional<std::int64_t>;

Bound scaleBound(Bound bound, std::int64_t factor) {
    return bound ? checkedMul(*bound, factor) : std::nullopt;
}

Bound addBound(Bound a, Bound b) {
    return a && b ? checkedAdd(*a, *b) : std::nullopt;
}

Interval boundsAt(const Expr& e, const Ranges& ranges, int depth);

// What lies between the bounds of a part of a sum: spans of what it is made of.
struct Spans : Evaluate<Spans, Interval> {
    const Ranges& ranges;
    const int depth; // of the parts

    Spans(const Ranges& known, int at) : ranges(known), depth(at) {}

    Interval span(const Expr& e) const { return boundsAt(e, ranges, depth); }

    Interval variable(const Expr& e) const {
        if (const Range* range = ranges.find(e->symbol))
            return {span(range->min).min, span(range->max).max};
        return looksLikeDim(e->symbol) ? Interval{ranges.isFilled(e->symbol) ? 1 : 0, std::nullopt}
                                       : Interval{};
    }
    Interval mod(const Expr& e) const {
        const Interval divisor = span(e.arg(1));
        if (divisor.max && *divisor.max < 0) // rounded down: the rest has the divisor's sign
            return {divisor.min ? Bound(*divisor.min + 1) : std::nullopt, 0};
        if (!divisor.min || *divisor.min <= 0)
            return {};
        Interval out{0, divisor.max ? Bound(*divisor.max - 1) : std::nullopt};
        const Interval value = span(e.arg(0));
        if (value.min && *value.min >= 0 && value.max && (!out.max || *value.max < *out.max))
            out.max = value.max;
        return out;
    }
    Interval floorDiv(const Expr& e) const {
        const auto quotient = [](Bound a, std::int64_t b) {
            return a ? Bound(fw::floorDiv(*a, b)) : std::nullopt;
        };
        const Interval value = span(e.arg(0));
        if (const auto divisor = e.arg(1).asInt(); divisor && *divisor > 0)
            return {quotient(value.min, *divisor), quotient(value.max, *divisor)};
        const Interval by = span(e.arg(1));
        if (value.min && *value.min >= 0 && by.min && *by.min > 0)
            return {0, quotient(value.max, *by.min)};
        return {};
    }
    // The side that one operand bounds alone, and the one that both must bound.
    Interval min(const Expr& e) const {
        const Interval a = span(e.arg(0)), b = span(e.arg(1));
        return {smaller(a.min, b.min),
                a.max && b.max ? smaller(a.max, b.max) : known(a.max, b.max)};
    }
    Interval max(const Expr& e) const {
        const Interval a = span(e.arg(0)), b = span(e.arg(1));
        return {a.min && b.min ? larger(a.min, b.min) : known(a.min, b.min), larger(a.max, b.max)};
    }
    Interval mul(const Expr& e) const {
        const Interval a = span(e.arg(0)), b = span(e.arg(1));
        if (a.min && *a.min >= 0 && b.min && *b.min >= 0)
            return {checkedMul(*a.min, *b.min),
                    a.max && b.max ? checkedMul(*a.max, *b.max) : std::nullopt};
        return {};
    }
    Interval select(const Expr& e) const {
        const Interval a = span(e.arg(1)), b = span(e.arg(2));
        return {smaller(a.min, b.min), larger(a.max, b.max)};
    }
    Interval cast(const Expr& e) const {
        const DType from = e.arg(0).dtype();
        return isInteger(from) || from == DType::Bool ? span(e.arg(0)) : Interval{};
    }
    template <class Kind>
    Interval other(Kind, const Expr&) const {
        return {};
    }

    // Unknown if one is.
    static Bound smaller(Bound a, Bound b) {
        return a && b ? Bound(std::min(*a, *b)) : std::nullopt;
    }
    static Bound larger(Bound a, Bound b) {
        return a && b ? Bound(std::max(*a, *b)) : std::nullopt;
    }
    static Bound known(Bound a, Bound b) { return a ? a : b; }
};

Interval atomBounds(const Expr& atom, const Ranges& ranges, int depth) {
    return depth > maxDepth ? Interval{} : Spans(ranges, depth + 1).of(atom);
}

Interval affineBounds(const Affine& sum, const Ranges& ranges, int depth) {
    Interval out{sum.constant, sum.constant};
    for (const auto& [atom, coefficient] : sum.terms) {
        const Interval bounds = atomBounds(atom, ranges, depth);
        const Bound low = scaleBound(coefficient > 0 ? bounds.min : bounds.max, coefficient);
        const Bound high = scaleBound(coefficient > 0 ? bounds.max : bounds.min, coefficient);
        out.min = addBound(out.min, low);
        out.max = addBound(out.max, high);
    }
    return out;
}

Interval boundsAt(const Expr& e, const Ranges& ranges, int depth) {
    if (e.isInt())
        return {e->integer, e->integer};
    if (e.dtype() == DType::Bool)
        return {0, 1};
    return affineBounds(toAffine(e), ranges, depth);
}

bool proveAffine(const Affine& sum, const Ranges& ranges, int depth);

// sum with term `at` replaced by coefficient * value
Affine replaced(const Affine& sum, std::size_t at, const Expr& value) {
    Affine out = sum;
    const std::int64_t coefficient = out.terms[at].second;
    out.terms.erase(out.terms.begin() + static_cast<std::ptrdiff_t>(at));
    if (!addScaled(out, toAffine(value), coefficient)) {
        out = sum; // overflow: nothing gained
        return out;
    }
    normalise(out);
    return out;
}

bool restLiesBelow(const Expr& divisor, const Ranges& ranges, int depth) {
    const Bound most = boundsAt(divisor, ranges, depth + 1).max;
    return most && *most < 0;
}

// Whether nothing is divided by a number below 0: what is made of dimensions alone is an extent,
// other divisors have to be shown.
bool isExtentLike(const Expr& divisor, const Ranges& ranges, int depth) {
    if (divisor.isInt())
        return divisor->integer >= 0;
    const std::set<Symbol> vars = freeVars(divisor);
    const bool ofDims = !hasLoad(divisor) &&
                        std::none_of(vars.begin(), vars.end(),
                                     [&](const Symbol var) { return ranges.find(var) != nullptr; });
    return ofDims || proveAffine(toAffine(divisor), ranges, depth + 1);
}

bool isPositive(const Expr& divisor, const Ranges& ranges, int depth) {
    if (divisor.isInt())
        return divisor->integer > 0;
    return proveAffine(toAffine(divisor - Expr(1)), ranges, depth + 1);
}

// Bounds one non-variable atom by something simpler; true if that proves the sum.
std::optional<bool> eliminateAtom(const Affine& sum, std::size_t at, const Ranges& ranges,
                                  int depth) {
    const auto& [atom, coefficient] = sum.terms[at];
    switch (atom.op()) {
    case ExprOp::Min:
    case ExprOp::Max: {
        const bool all = (atom.op() == ExprOp::Min) == (coefficient > 0);
        const bool first = proveAffine(replaced(sum, at, atom.arg(0)), ranges, depth + 1);
        if (all && !first)
            return false;
        if (!all && first)
            return true;
        return proveAffine(replaced(sum, at, atom.arg(1)), ranges, depth + 1);
    }
    case ExprOp::Mod: {
        // 0 .. b - 1 by an extent, b + 1 .. 0 by what lies below 0; 0 by 0.
        const Expr& by = atom.arg(1);
        const bool below = restLiesBelow(by, ranges, depth);
        if (!below && !isExtentLike(by, ranges, depth))
            return std::nullopt;
        const auto with = [&](const Expr& end) {
            return proveAffine(replaced(sum, at, end), ranges, depth + 1);
        };
        if (coefficient > 0)
            return with(below ? by + Expr(1) : Expr(0));
        if (below)
            return with(Expr(0));
        return with(by - Expr(1)) && (isPositive(by, ranges, depth) || with(Expr(0)));
    }
    case ExprOp::FloorDiv: {
        const auto divisor = atom.arg(1).asInt();
        if (!divisor || *divisor <= 0)
            return std::nullopt;
        // c * (a / c) lies in a - c + 1 .. a, so multiply the sum by c: a multiple of c, which is
        // >= 0 where it is > -c.
        Affine rest = sum;
        rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(at));
        Affine scaled;
        const Expr bound = coefficient > 0 ? atom.arg(0) - Expr(*divisor - 1) : atom.arg(0);
        if (!addScaled(scaled, rest, *divisor) || !addScaled(scaled, toAffine(bound), coefficient))
            return false;
        const auto constant = checkedAdd(scaled.constant, *divisor - 1);
        if (!constant)
            return false;
        scaled.constant = *constant;
        normalise(scaled);
        return proveAffine(scaled, ranges, depth + 1);
    }
    default:
        return std::nullopt;
    }
}

// Whether a variable of `e` has a range.
bool hasRange(const Expr& e, const Ranges& ranges) {
    bool found = false;
    visitExpr(e, [&](const Expr& part) {
        found = found || (part.isVar() && ranges.find(part->symbol) != nullptr);
    });
    return found;
}

// A known truth may stand for part of the sum: sum - fact >= 0 is enough.
bool proveByFacts(const Affine& sum, const Ranges& ranges, int depth) {
    for (const Expr& fact : ranges.facts()) {
        const Affine known = toAffine(fact);
        // As often as a shared term has it: 2 * N - 2 is twice N - 1.
        std::set<std::int64_t> times;
        for (const auto& [atom, coefficient] : known.terms)
            for (const auto& own : sum.terms)
                if (own.first == atom && (own.second > 0) == (coefficient > 0)) {
                    times.insert(1);
                    if (own.second % coefficient == 0)
                        times.insert(own.second / coefficient);
                }
        for (const std::int64_t count : times) {
            Affine less = sum;
            if (!addScaled(less, known, -count))
                continue;
            normalise(less);
            if (proveAffine(less, ranges, std::max(depth + 1, 3)))
                return true;
        }
    }
    return false;
}

// With an end of the range in place of its variable in the term at `i`; nullopt: it is not there.
std::optional<bool> proveAtEnd(const Affine& sum, std::size_t i, const Range& range,
                               const Ranges& ranges, int depth) {
    const auto& [atom, coefficient] = sum.terms[i];
    const Expr& end = coefficient > 0 ? range.min : range.max;
    if (atom.isVar() && atom->symbol == range.var)
        return proveAffine(replaced(sum, i, end), ranges, depth + 1);
    // A product with the variable, such as i * W: bounded when the other factors are >= 0.
    if (atom.op() != ExprOp::Mul || !usesVar(atom, range.var))
        return std::nullopt;
    Exprs factors, others;
    collectFactors(atom, factors);
    int found = 0;
    for (const Expr& factor : factors) {
        if (factor.isVar() && factor->symbol == range.var && found == 0)
            ++found;
        else
            others.push_back(factor);
    }
    const Expr other = productOf(others);
    if (found != 1 || usesVar(other, range.var))
        return false;
    const Interval sign = boundsAt(other, ranges, depth + 1);
    if (!sign.min || *sign.min < 0)
        return false;
    return proveAffine(replaced(sum, i, end * other), ranges, depth + 1);
}

bool proveAffine(const Affine& sum, const Ranges& ranges, int depth) {
    if (sum.terms.empty())
        return sum.constant >= 0;
    if (depth > maxDepth)
        return false;
    if (const Interval bounds = affineBounds(sum, ranges, 0); bounds.min && *bounds.min >= 0)
        return true;
    if (depth < 3 && proveByFacts(sum, ranges, depth))
        return true;
    // An atom of free dimensions alone, such as N / 2, stays whole while there are variables: it
    // may cancel against the end of a range.
    for (std::size_t i = 0; i < sum.terms.size(); ++i)
        if (hasRange(sum.terms[i].first, ranges))
            if (const auto proved = eliminateAtom(sum, i, ranges, depth))
                return *proved;
    // Variables from the innermost range outward: their extremes may mention outer ones.
    for (auto range = ranges.all().rbegin(); range != ranges.all().rend(); ++range)
        for (std::size_t i = 0; i < sum.terms.size(); ++i)
            if (const auto proved = proveAtEnd(sum, i, *range, ranges, depth))
                return *proved;
    for (std::size_t i = 0; i < sum.terms.size(); ++i)
        if (const auto proved = eliminateAtom(sum, i, ranges, depth))
            return *proved;
    return false;
}

} // namespace

Interval boundsOf(const Expr& e, const Ranges& ranges) {
    return boundsAt(e, ranges, 0);
}

bool proveNonNegative(const Expr& e, const Ranges& ranges) {
    const Expr value = simplify(e, ranges);
    if (value->parts < worthKeeping)
        return proveAffine(toAffine(value), ranges, 0);
    SimplifyMemo& memo = SimplifyMemo::proofsOfThread();
    const std::size_t context = memo.contextOf(ranges);
    if (const auto known = memo.find(value, ranges, context))
        return known->isInt(1);
    const bool out = proveAffine(toAffine(value), ranges, 0);
    memo.keep(value, ranges, context, boolExpr(out));
    return out;
}

bool proveEqual(const Expr& a, const Expr& b, const Ranges& ranges) {
    const Affine difference = toAffine(simplify(a - b, ranges));
    return difference.terms.empty() && difference.constant == 0;
}

bool proveDifferent(const Expr& a, const Expr& b, const Ranges& ranges) {
    return proveNonNegative(a - b - Expr(1), ranges) || proveNonNegative(b - a - Expr(1), ranges);
}

std::optional<bool> decide(const Expr& condition, const Ranges& ranges) {
    const auto both = [&](const Expr& yes, const Expr& no) -> std::optional<bool> {
        if (proveNonNegative(yes, ranges))
            return true;
        if (proveNonNegative(no, ranges))
            return false;
        return std::nullopt;
    };
    switch (condition.op()) {
    case ExprOp::Int:
        return condition->integer != 0;
    case ExprOp::Lt:
        if (!isIndex(condition.arg(0)))
            return std::nullopt;
        return both(condition.arg(1) - condition.arg(0) - Expr(1),
                    condition.arg(0) - condition.arg(1));
    case ExprOp::Le:
        if (!isIndex(condition.arg(0)))
            return std::nullopt;
        return both(condition.arg(1) - condition.arg(0),
                    condition.arg(0) - condition.arg(1) - Expr(1));
    case ExprOp::Eq:
    case ExprOp::Ne: {
        if (!isIndex(condition.arg(0)))
            return std::nullopt;
        const bool equal = proveEqual(condition.arg(0), condition.arg(1), ranges);
        if (equal || proveDifferent(condition.arg(0), condition.arg(1), ranges))
            return equal == (condition.op() == ExprOp::Eq);
        return std::nullopt;
    }
    case ExprOp::Not: {
        const auto inner = decide(condition.arg(0), ranges);
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    case ExprOp::And:
    case ExprOp::Or: {
        const bool stop = condition.op() == ExprOp::Or;
        const auto a = decide(condition.arg(0), ranges);
        if (a && *a == stop)
            return stop;
        const auto b = decide(condition.arg(1), ranges);
        if (b && *b == stop)
            return stop;
        return a && b ? std::optional(!stop) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

} // namespace fw
