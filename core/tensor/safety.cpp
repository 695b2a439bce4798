#include "tensor/safety.h"

#include "expr/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

bool indexInRange(const Expr& index, const Expr& extent, const Ranges& ranges, Empty operand) {
    if (proveNonNegative(index, ranges) && proveNonNegative(extent - Expr(1) - index, ranges))
        return true;
    // One or the other: each has to lie inside, whatever the condition says.
    if (index.op() == ExprOp::Select)
        return indexInRange(index.arg(1), extent, ranges, operand) &&
               indexInRange(index.arg(2), extent, ranges, operand);
    if (!isClamped(index)) // with high < extent: an index that was read and clamped
        return false;
    const bool filled =
        operand == Empty::Possible ? proveNonNegative(extent - Expr(1), ranges) : !extent.isInt(0);
    return filled && proveNonNegative(extent - Expr(1) - index.arg(0).arg(1), ranges);
}

bool isEmpty(const Ranges& ranges) {
    return std::any_of(ranges.all().begin(), ranges.all().end(), [](const Range& range) {
        return proveNonNegative(range.min - range.max - Expr(1));
    });
}

Status checkReads(const Expr& e, const OpInst& inst, const Ranges& ranges, bool guarded) {
    if (e.op() == ExprOp::Load && !guarded) {
        const TensorDecl* tensor = inst.find(e->symbol);
        if (tensor == nullptr)
            return makeDiag(DiagCode::TextName,
                            fmt::format("{} reads a tensor that does not exist", e.text()));
        if (!inRange(e.args(), tensor->type.shape, ranges))
            return makeDiag(DiagCode::UnsafeAccess,
                            fmt::format("{} may lie outside {}", e.text(), tensor->type.text()));
    }
    for (std::size_t i = 0; i < e.args().size(); ++i)
        FW_CHECK(checkReads(e.arg(i), inst, ranges, e.op() == ExprOp::Pad && i == 0));
    return {};
}

bool holdsLargeNumber(const Expr& e) {
    constexpr std::int64_t large = std::int64_t(1) << 31;
    return (e.isInt() && (e->integer > large || e->integer < -large)) ||
           std::any_of(e.args().begin(), e.args().end(), holdsLargeNumber);
}

// What an index may be. Free dimensions and what is read are small: they are no reason.
struct IndexSpan {
    long double low = 0, high = 0; // 64 bits are exact, and what lies beyond shows
};

class IndexReach : public Evaluate<IndexReach, IndexSpan> {
public:
    explicit IndexReach(const Ranges& ranges) : m_ranges(ranges) {}

    bool leaves() const { return m_leaves; }

    IndexSpan of(const Expr& e) {
        return isInteger(e.dtype()) ? Evaluate::of(e) : IndexSpan{0, small};
    }
    IndexSpan integer(const Expr& e) const {
        return {static_cast<long double>(e->integer), static_cast<long double>(e->integer)};
    }
    IndexSpan variable(const Expr& e) {
        const Range* range = m_ranges.find(e->symbol);
        return range == nullptr ? IndexSpan{0, small}
                                : IndexSpan{of(range->min).low, of(range->max).high};
    }
    IndexSpan neg(const Expr& e) {
        const IndexSpan a = of(e.arg(0));
        return held({-a.high, -a.low});
    }
    IndexSpan add(const Expr& e) { return held(sum(of(e.arg(0)), of(e.arg(1)))); }
    IndexSpan sub(const Expr& e) {
        const IndexSpan a = of(e.arg(0)), b = of(e.arg(1));
        return held({a.low - b.high, a.high - b.low});
    }
    IndexSpan mul(const Expr& e) { return held(product(of(e.arg(0)), of(e.arg(1)))); }
    IndexSpan fma(const Expr& e) { return held(sum(mul(e), of(e.arg(2)))); }
    IndexSpan min(const Expr& e) {
        const IndexSpan a = of(e.arg(0)), b = of(e.arg(1));
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
    }
    IndexSpan max(const Expr& e) {
        const IndexSpan a = of(e.arg(0)), b = of(e.arg(1));
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
    }
    IndexSpan select(const Expr& e) {
        const IndexSpan a = of(e.arg(1)), b = of(e.arg(2));
        return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    IndexSpan div(const Expr& e) {
        const IndexSpan a = of(e.arg(0)), b = of(e.arg(1));
        return {a.low < 0 || b.low < 0 ? -most(a) : 0, most(a)};
    }
    IndexSpan floorDiv(const Expr& e) { return div(e); }
    IndexSpan mod(const Expr& e) {
        of(e.arg(0));
        const IndexSpan b = of(e.arg(1));
        return {b.low < 0 ? -most(b) : 0, most(b)};
    }
    IndexSpan cast(const Expr& e) { return of(e.arg(0)); }
    IndexSpan load(const Expr&) const { return {0, small}; }
    IndexSpan pad(const Expr&) const { return {0, small}; }
    IndexSpan other(ExprOp, const Expr& e) {
        for (const Expr& part : e.args())
            of(part);
        return {0, small};
    }

private:
    static constexpr long double small = 8;

    static long double most(const IndexSpan& a) {
        return std::max(std::fabs(a.low), std::fabs(a.high));
    }
    static IndexSpan sum(const IndexSpan& a, const IndexSpan& b) {
        return {a.low + b.low, a.high + b.high};
    }
    static IndexSpan product(const IndexSpan& a, const IndexSpan& b) {
        const auto [low, high] =
            std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
        return {low, high};
    }

    IndexSpan held(IndexSpan span) {
        m_leaves = m_leaves || span.low < -0x1p63L || span.high >= 0x1p63L;
        return span;
    }

    const Ranges& m_ranges;
    bool m_leaves = false;
};

} // namespace

bool leaves64Bits(const Expr& index, const Ranges& ranges) {
    if (!holdsLargeNumber(index))
        return false;
    IndexReach reach(ranges);
    reach.of(index);
    return reach.leaves();
}

bool isClamped(const Expr& index) {
    return index.op() == ExprOp::Max && index.arg(1).isInt(0) && index.arg(0).op() == ExprOp::Min;
}

bool inRange(const Exprs& indices, const Shape& extents, const Ranges& ranges, Empty operand) {
    if (indices.size() != extents.size())
        return false;
    Ranges known = ranges;
    if (operand == Empty::Excluded)
        for (const Expr& extent : extents)
            if (!extent.isInt())
                known.assume(leExpr(Expr(1), extent));
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (!indexInRange(indices[i], extents[i], known, operand))
            return isEmpty(ranges);
    return true;
}

bool outOfRange(const Exprs& indices, const Shape& extents, const Ranges& ranges) {
    for (std::size_t i = 0; i < indices.size() && i < extents.size(); ++i)
        if (proveNonNegative(-indices[i] - Expr(1), ranges) ||
            proveNonNegative(indices[i] - extents[i], ranges))
            return true;
    return false;
}

Status checkCoverage(const OpInst& inst) {
    for (const TensorDecl& out : inst.outputs) {
        Expr written(0);
        for (const Stage& stage : inst.stages) {
            if (stage.out != out.name)
                continue;
            Expr points(1);
            for (const Axis& axis : stage.space)
                points = points * axis.extent;
            written = written + points;
        }
        if (proveDifferent(written, elementCount(out.type.shape)))
            return makeDiag(DiagCode::UnsafeAccess,
                            fmt::format("{} of {} elements of {} are written", written.text(),
                                        elementCount(out.type.shape).text(), out.name.text()));
    }
    return {};
}

Status checkSafety(const OpInst& inst, const std::vector<Expr>& assumptions) {
    for (const Stage& stage : inst.stages) {
        Ranges ranges;
        for (const Expr& assumption : assumptions)
            ranges.assume(assumption);
        for (const std::vector<Axis>* axes : {&stage.space, &stage.reduce})
            for (const Axis& axis : *axes)
                ranges.push(axis.var, Expr(0), axis.extent - Expr(1));
        const TensorDecl* out = inst.find(stage.out);
        if (out == nullptr || !inRange(stage.store, out->type.shape, ranges))
            return makeDiag(DiagCode::UnsafeAccess,
                            fmt::format("a write may lie outside {}", stage.out.text()));
        FW_CHECK(checkReads(stage.body, inst, ranges, false));
    }
    return {};
}

} // namespace fw
