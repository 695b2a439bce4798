#include "tensor/bounded_operation.h"

#include "expr/operations.h"

namespace fw {

namespace {

// What is a little off has no bits that are known.
void applyBitCast(const Operation& step, const OperandRows& rows, std::size_t count) {
    BoundedRow &out = rows.out, &a = rows.a;
    out.exact = a.exact;
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = applyOperation(step, roundTo(a.value[i], step.from));
    if (out.exact)
        return;
    spellOut(a, step.from, rows.length);
    for (std::size_t i = 0; i < count; ++i) {
        const bool isReal = isFloat(step.dtype);
        out.magnitude[i] =
            isReal && std::isfinite(out.value[i].real) ? std::fabs(out.value[i].real) : 0;
        out.error[i] = a.error[i] == 0 ? 0 : unbounded;
    }
}

} // namespace

void spellOut(BoundedRow& row, DType dtype, std::size_t count) {
    if (!row.exact)
        return;
    row.exact = false;
    std::fill_n(row.error, count, 0.0);
    if (isFloat(dtype))
        for (std::size_t i = 0; i < count; ++i)
            row.magnitude[i] = std::fabs(row.value[i].real);
}

void BoundedOperation::apply(const Operation& step, const OperandRows& rows,
                             std::size_t count) const {
    if (step.op == ExprOp::BitCast)
        return applyBitCast(step, rows, count);
    if (step.op == ExprOp::Cast)
        return applyCast(step, rows, count);
    if (!isFloat(step.from))
        return applyInteger(step, rows, count);
    if (step.op == ExprOp::Call)
        return applyMath(step, rows, count);
    applyReal(step, rows, count);
}

void BoundedOperation::applyCast(const Operation& step, const OperandRows& rows,
                                 std::size_t count) const {
    BoundedRow &out = rows.out, &a = rows.a;
    const auto cast = [&](Value value) { return applyOperation(step, value); };
    // From float to float the value stays: rounding is an error, not a value.
    const bool floats = isFloat(step.from) && isFloat(step.dtype);
    const double limit = exactIntegers(step.dtype);
    const bool grows =
        !m_wraps && !isFloat(step.from) && !isFloat(step.dtype) && step.dtype != DType::Bool;
    for (std::size_t i = 0; i < count; ++i)
        if (floats || grows)
            out.value[i] = a.value[i];
        else if (isFloat(step.dtype))
            out.value[i] = realValue(realOf(step.from, a.value[i].integer, DType::F64));
        else
            out.value[i] = cast(a.value[i]);
    spellOut(a, step.from, rows.length);
    out.exact = false;
    const auto cut = [&](double x) { return static_cast<double>(cast(realValue(x)).integer); };
    for (std::size_t i = 0; i < count; ++i) {
        if (isFloat(step.dtype)) {
            // A conversion is an operation, whose result is known where its operand is.
            if (m_converts && a.error[i] == 0) {
                const Value rounded = floats ? roundTo(a.value[i], step.dtype) : cast(a.value[i]);
                if (!floats || std::isfinite(rounded.real) || !std::isfinite(a.value[i].real)) {
                    out.value[i] = rounded;
                    out.magnitude[i] = std::fabs(rounded.real);
                    out.error[i] = 0;
                    continue;
                }
            }
            const double value = out.value[i].real;
            out.magnitude[i] = floats ? a.magnitude[i] : std::fabs(value);
            const bool fits = a.error[i] == 0 && (roundTo(out.value[i], step.dtype).real == value ||
                                                  (!floats && std::fabs(value) < limit));
            out.error[i] = fits                   ? 0
                           : std::isfinite(value) ? a.error[i] + roundingError(step.dtype, value)
                                                  : a.error[i];
            if (m_sharp && std::isnan(value))
                out.error[i] = unbounded;
        } else if (isFloat(step.from)) {
            out.error[i] =
                std::isfinite(a.error[i]) ? reach(cut, a.value[i].real, a.error[i]) : unbounded;
        } else {
            out.error[i] = a.error[i];
        }
    }
}

} // namespace fw
