// Operations on floats in rows of bounded values.
#include "expr/operations.h"
#include "tensor/bounded_operation.h"

namespace fw {

namespace {

// A NaN or an infinity that every right implementation has there, too: it came in, or exact
// operands made it (0 / 0). Any other may be the work of rounding: no bound.
double errorOfNoNumber(std::initializer_list<const BoundedRow*> operands, double value,
                       std::size_t i) {
    bool exact = true, cameIn = false;
    for (const BoundedRow* operand : operands) {
        const bool sure = operand->exact || operand->error[i] == 0;
        exact = exact && sure;
        cameIn = cameIn || (sure && std::isnan(operand->value[i].real));
    }
    return exact || (cameIn && std::isnan(value)) ? 0 : unbounded;
}

// Magnitudes and errors behind one operation on floats, `count` of them.
struct RealBound : Evaluate<RealBound, void, std::size_t> {
    BoundedRow &out, &a, &b, &c;
    const double u, limit;

    RealBound(const Operation& step, const OperandRows& rows)
        : out(rows.out), a(rows.a), b(rows.b), c(rows.c), u(roundingUnit(step.from)),
          limit(exactIntegers(step.from)) {}

    double x(std::size_t i) const { return a.value[i].real; }
    double y(std::size_t i) const { return b.value[i].real; }
    bool areWhole(std::size_t i) const { return isWhole(x(i)) && isWhole(y(i)); }
    double carriedByProduct(std::size_t i) const {
        return std::fabs(x(i)) * b.error[i] + std::fabs(y(i)) * a.error[i] +
               a.error[i] * b.error[i];
    }
    void rounded(std::size_t i, double magnitude, double carried, bool whole) {
        out.magnitude[i] = magnitude;
        out.error[i] = carried == 0 && whole && magnitude < limit ? 0 : carried + u * magnitude;
    }

    void add(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            rounded(i, a.magnitude[i] + b.magnitude[i], a.error[i] + b.error[i], areWhole(i));
    }
    void sub(std::size_t count) { add(count); }
    void mul(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            rounded(i, a.magnitude[i] * b.magnitude[i], carriedByProduct(i), areWhole(i));
    }
    void fma(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const double magnitude = a.magnitude[i] * b.magnitude[i] + c.magnitude[i];
            const double carried =
                carriedByProduct(i) + c.error[i] + u * magnitude * (areWhole(i) ? 0 : 1);
            rounded(i, magnitude, carried, isWhole(c.value[i].real));
        }
    }
    void div(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const double divisor = std::fabs(y(i)), value = std::fabs(out.value[i].real);
            out.magnitude[i] = a.magnitude[i] / divisor;
            out.error[i] = divisor > b.error[i]
                               ? (a.error[i] + value * b.error[i]) / (divisor - b.error[i]) +
                                     4 * u * out.magnitude[i]
                               : unbounded;
        }
    }
    // Of a quotient that is rounded down, where no integer is as near as it may be off: what the
    // operands hand on, of the whole numbers and of the rest.
    template <class Surely, class Otherwise>
    void roundedDown(std::size_t count, const Surely& surely, const Otherwise& otherwise) {
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = std::fabs(out.value[i].real);
            const double quotient = x(i) / y(i);
            const double off = std::fabs(quotient - std::nearbyint(quotient));
            const double moved = (a.error[i] + std::fabs(quotient) * b.error[i]) / std::fabs(y(i)) +
                                 4 * u * std::fabs(quotient);
            const bool whole = a.error[i] + b.error[i] == 0 && areWhole(i) &&
                               std::fabs(x(i)) < limit && std::fabs(y(i)) < limit;
            out.error[i] = whole ? 0 : off > moved ? surely(i, quotient) : otherwise(i, quotient);
        }
    }
    void floorDiv(std::size_t count) {
        roundedDown(
            count, [](std::size_t, double) { return 0.0; },
            [](std::size_t, double) { return 1.0; });
    }
    void mod(std::size_t count) {
        roundedDown(
            count,
            [&](std::size_t i, double quotient) {
                return a.error[i] + std::fabs(quotient) * b.error[i] +
                       2 * u * (std::fabs(x(i)) + std::fabs(y(i)));
            },
            [&](std::size_t i, double) { return std::fabs(y(i)) + a.error[i]; });
    }
    void min(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            out.magnitude[i] = std::max(a.magnitude[i], b.magnitude[i]);
            out.error[i] = std::max(a.error[i], b.error[i]);
        }
    }
    void max(std::size_t count) { min(count); }
    void neg(std::size_t count) {
        std::copy_n(a.magnitude, count, out.magnitude);
        std::copy_n(a.error, count, out.error);
    }
    void other(ExprOp, std::size_t count) { // comparisons
        for (std::size_t i = 0; i < count; ++i) {
            const double error = a.error[i] + b.error[i];
            const bool withNan =
                (std::isnan(x(i)) && a.error[i] == 0) || (std::isnan(y(i)) && b.error[i] == 0);
            out.error[i] = error == 0 || withNan || std::fabs(x(i) - y(i)) > error ? 0 : 1;
        }
    }
};

// How far the result of a function may move with its operands.
double carried(const Operation& step, const BoundedRow& a, const BoundedRow& b, std::size_t i) {
    const double x = a.value[i].real, error = a.error[i];
    if (mathArity(step.fn) == 2) {
        double out = 0;
        const double y = b.value[i].real, value = evalMath(step.fn, x, y);
        for (const double dx : {-error, error})
            for (const double dy : {-b.error[i], b.error[i]})
                if (dx != 0 || dy != 0) {
                    const double off = std::fabs(evalMath(step.fn, x + dx, y + dy) - value);
                    out = std::isnan(off) ? unbounded : std::max(out, off);
                }
        return out;
    }
    if (!rowOf(step.fn).monotone)
        return error;
    // A square is not below 0, whatever it was computed as.
    const double least = step.fn == MathFn::Sqrt ? 0 : -unbounded;
    return reach([&](double v) { return evalMath(step.fn, v < least ? least : v); }, x, error);
}

} // namespace

void BoundedOperation::applyReal(const Operation& step, const OperandRows& rows,
                                 std::size_t count) const {
    boundReal(step, rows, count);
    if (m_sharp)
        return sharpenReal(step, rows, count);
    BoundedRow& out = rows.out;
    if (out.exact || !isFloat(step.dtype))
        return;
    for (std::size_t i = 0; i < count; ++i)
        if (!std::isfinite(out.value[i].real))
            out.error[i] = errorOfNoNumber({&rows.a, &rows.b, &rows.c}, out.value[i].real, i);
}

void BoundedOperation::boundReal(const Operation& step, const OperandRows& rows,
                                 std::size_t count) const {
    BoundedRow &out = rows.out, &a = rows.a, &b = rows.b, &c = rows.c;
    if (step.op == ExprOp::Mul && a.exact && b.exact && !m_sharp) {
        // The products of a contraction: nearly all there is.
        const double u = roundingUnit(step.from), limit = exactIntegers(step.from);
        out.exact = false;
        for (std::size_t i = 0; i < count; ++i) {
            const double x = a.value[i].real, y = b.value[i].real, value = x * y;
            const double magnitude = std::fabs(value);
            out.value[i].real = value;
            out.magnitude[i] = magnitude;
            out.error[i] = (isWhole(x) && isWhole(y) && magnitude < limit) || !std::isfinite(value)
                               ? 0
                               : u * magnitude;
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = applyOperation(step, a.value[i], b.value[i], c.value[i]);
    const bool picks = step.op == ExprOp::Min || step.op == ExprOp::Max || step.op == ExprOp::Neg ||
                       step.dtype == DType::Bool;
    out.exact = picks && a.exact && b.exact && c.exact;
    if (out.exact)
        return;
    spellOut(a, step.from, rows.length);
    spellOut(b, step.from, rows.length);
    spellOut(c, step.from, rows.length);
    RealBound(step, rows).of(step.op, count);
}

// What is exact in doubles and in the type, and what NaN and infinities decide.
void BoundedOperation::applyMath(const Operation& step, const OperandRows& rows,
                                 std::size_t count) const {
    BoundedRow &out = rows.out, &a = rows.a, &b = rows.b;
    const MathError own = mathError(step.fn, step.from);
    const double u = roundingUnit(step.from);
    const bool exact = a.exact && b.exact && own.relative == 0 && own.absolute == 0;
    spellOut(a, step.from, rows.length);
    spellOut(b, step.from, rows.length);
    out.exact = false;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = evalMath(step.fn, a.value[i].real, b.value[i].real);
        out.value[i].real = value;
        out.magnitude[i] = std::fabs(value);
        out.error[i] = std::isfinite(value)
                           ? carried(step, a, b, i) + own.relative * u * std::fabs(value) +
                                 (exact || value == 0 ? 0 : own.absolute)
                           : errorOfNoNumber({&a, &b}, value, i);
    }
    if (exact)
        out.exact = true;
    else if (m_sharp)
        sharpenMath(step, rows, count);
}

} // namespace fw
