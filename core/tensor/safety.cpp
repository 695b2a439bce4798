#include "tensor/safety.h"

#include <fmt/format.h>

#include <algorithm>

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

} // namespace

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
