#include "tensor/safety.h"

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
class Reach {
public:
    explicit Reach(const Ranges& ranges) : m_ranges(ranges) {}

    struct Span {
        long double low = 0, high = 0; // 64 bits are exact, and what lies beyond shows
    };
    bool leaves() const { return m_leaves; }

    Span of(const Expr& e) {
        if (!isInteger(e.dtype()))
            return {0, small};
        if (e.isInt())
            return {static_cast<long double>(e->integer), static_cast<long double>(e->integer)};
        if (e.op() == ExprOp::Var) {
            const Range* range = m_ranges.find(e->symbol);
            return range == nullptr ? Span{0, small}
                                    : Span{of(range->min).low, of(range->max).high};
        }
        if (e.op() == ExprOp::Load || e.op() == ExprOp::Pad || e.args().empty())
            return {0, small};
        std::vector<Span> spans;
        for (const Expr& part : e.args())
            spans.push_back(of(part));
        const Span &a = spans[0], &b = spans[spans.size() > 1 ? 1 : 0];
        switch (e.op()) {
        case ExprOp::Neg:
            return held({-a.high, -a.low});
        case ExprOp::Add:
            return held({a.low + b.low, a.high + b.high});
        case ExprOp::Sub:
            return held({a.low - b.high, a.high - b.low});
        case ExprOp::Mul:
            return held(product(a, b));
        case ExprOp::Fma: {
            const Span both = held(product(a, b));
            return held({both.low + spans[2].low, both.high + spans[2].high});
        }
        case ExprOp::Min:
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        case ExprOp::Max:
            return {std::max(a.low, b.low), std::max(a.high, b.high)};
        case ExprOp::Select:
            return {std::min(b.low, spans[2].low), std::max(b.high, spans[2].high)};
        case ExprOp::Div:
        case ExprOp::FloorDiv: {
            const long double most = std::max(std::fabs(a.low), std::fabs(a.high));
            return {a.low < 0 || b.low < 0 ? -most : 0, most};
        }
        case ExprOp::Mod: {
            const long double most = std::max(std::fabs(b.low), std::fabs(b.high));
            return {b.low < 0 ? -most : 0, most};
        }
        case ExprOp::Cast:
            return a;
        default:
            return {0, small};
        }
    }

private:
    static constexpr long double small = 8;

    static Span product(const Span& a, const Span& b) {
        const auto [low, high] =
            std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
        return {low, high};
    }

    Span held(Span span) {
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
    Reach reach(ranges);
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
