// Integers in rows of bounded values: indices, counts, quantised values.
#include "tensor/bounded_operation.h"

namespace fw {

void BoundedOperation::applyInteger(const Operation& step, const OperandRows& rows,
                                    std::size_t count) const {
    BoundedRow &out = rows.out, &a = rows.a, &b = rows.b, &c = rows.c;
    Operation plain = step;
    out.exact = a.exact && b.exact && c.exact;
    if (!m_wraps && step.from != DType::U64 && step.from != DType::Bool) {
        plain.from = DType::I64;
        plain.dtype = step.dtype == DType::Bool ? DType::Bool : DType::I64;
    }
    if (m_wraps && step.dtype == DType::I64 && out.exact &&
        (step.op == ExprOp::Add || step.op == ExprOp::Sub || step.op == ExprOp::Mul)) {
        // Indices: nearly all there is.
        for (std::size_t i = 0; i < count; ++i) {
            const auto x = static_cast<std::uint64_t>(a.value[i].integer);
            const auto y = static_cast<std::uint64_t>(b.value[i].integer);
            out.value[i].integer = static_cast<std::int64_t>(step.op == ExprOp::Add   ? x + y
                                                             : step.op == ExprOp::Sub ? x - y
                                                                                      : x * y);
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = applyOperation(plain, a.value[i], b.value[i], c.value[i]);
    bool beyond = false; // 64 bits
    if (!m_wraps)
        for (std::size_t i = 0; i < count; ++i)
            beyond = beyond || overflows(plain, a.value[i].integer, b.value[i].integer);
    if (out.exact && !beyond)
        return;
    spellOut(a, step.from, rows.length);
    spellOut(b, step.from, rows.length);
    spellOut(c, step.from, rows.length);
    out.exact = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (beyond && overflows(plain, a.value[i].integer, b.value[i].integer)) {
            out.error[i] = unbounded;
            continue;
        }
        const double ea = a.error[i], eb = b.error[i], ec = c.error[i];
        const auto x = std::fabs(static_cast<double>(a.value[i].integer));
        const auto y = std::fabs(static_cast<double>(b.value[i].integer));
        if (ea == 0 && eb == 0 && ec == 0)
            out.error[i] = 0;
        else if (step.op == ExprOp::Add || step.op == ExprOp::Sub)
            out.error[i] = ea + eb;
        else if (step.op == ExprOp::Mul)
            out.error[i] = x * eb + y * ea + ea * eb;
        else if (step.op == ExprOp::Min || step.op == ExprOp::Max)
            out.error[i] = std::max(ea, eb);
        else if (step.op == ExprOp::Neg)
            out.error[i] = ea;
        else
            out.error[i] = step.dtype == DType::Bool ? 1 : unbounded;
    }
}

} // namespace fw
