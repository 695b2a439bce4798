// What is exact for sure among the values of a row: BoundedOptions::sharp.
#include "tensor/bounded_operation.h"

namespace fw {

namespace {

// More than what is too small for a double, so that it is a bound behind some divisions, too.
constexpr double leastPositive = 0x1p-1000;
// Below it a double has fewer bits, and below the other one what a product rounds off is none.
constexpr double leastNormalDouble = 0x1p-1022, leastSplit = 0x1p-960;

// Whether the operation on doubles did not round (T. J. Dekker, "A floating-point technique for
// extending the available precision", 1971).
struct Numbers {
    double x, y, z, value;
};

struct Exactly : Evaluate<Exactly, bool, const Numbers&> {
    static bool sum(double a, double b, double s) {
        const double part = s - a;
        return a - (s - part) == 0 && b - part == 0;
    }
    static bool product(double a, double b, double value) {
        return a == 0 || b == 0 || (std::fabs(value) >= leastSplit && std::fma(a, b, -value) == 0);
    }
    bool add(const Numbers& at) const { return sum(at.x, at.y, at.value); }
    bool sub(const Numbers& at) const { return sum(at.x, -at.y, at.value); }
    bool mul(const Numbers& at) const { return product(at.x, at.y, at.value); }
    bool div(const Numbers& at) const {
        return at.y != 0 && (at.x == 0 || (std::fabs(at.x) >= leastSplit &&
                                           std::fabs(at.value) >= leastNormalDouble &&
                                           std::fma(at.value, at.y, -at.x) == 0));
    }
    bool fma(const Numbers& at) const {
        const double both = at.x * at.y;
        return std::isfinite(both) && product(at.x, at.y, both) && sum(both, at.z, at.value);
    }
    bool other(ExprOp, const Numbers&) const { return false; }
};

} // namespace

void BoundedOperation::sharpenReal(const Operation& step, const OperandRows& rows,
                                   std::size_t count) const {
    BoundedRow &out = rows.out, &a = rows.a, &b = rows.b, &c = rows.c;
    if (out.exact)
        return;
    const bool two = step.op != ExprOp::Neg, three = step.op == ExprOp::Fma;
    const bool real = isFloat(step.dtype);
    for (std::size_t i = 0; i < count; ++i) {
        const double x = a.value[i].real, y = two ? b.value[i].real : x;
        const double value = out.value[i].real; // of a comparison nothing
        const bool known =
            a.error[i] == 0 && (!two || b.error[i] == 0) && (!three || c.error[i] == 0);
        const bool noNumber = (std::isnan(x) && a.error[i] == 0) ||
                              (two && std::isnan(y) && b.error[i] == 0) ||
                              (three && std::isnan(c.value[i].real) && c.error[i] == 0);
        const bool given =
            std::isfinite(x) && std::isfinite(y) && (!three || std::isfinite(c.value[i].real));
        // Numbers that double does not hold are infinite only where types end.
        const bool beyond =
            real && std::isinf(value) && given && !(step.op == ExprOp::Div && y == 0);
        const bool small = real && std::fabs(value) < leastNormalDouble && x != 0 && y != 0 &&
                           (step.op == ExprOp::Mul || (step.op == ExprOp::Div && given));
        if (beyond && !(m_ends && known))
            out.error[i] = unbounded;
        else if (small && !m_ends)
            out.error[i] = std::max(out.error[i], leastPositive);
        else if (noNumber || (known && real && !std::isfinite(value)) || (known && !given))
            out.error[i] = 0;
        else if (known && real && std::isfinite(value) &&
                 Exactly().of(step.op, {x, y, c.value[i].real, value}) &&
                 roundTo(realValue(value), step.dtype).real == value)
            out.error[i] = 0;
        else if (std::isnan(out.error[i]) || (real && std::isnan(value)))
            out.error[i] = unbounded;
        if (real && std::isnan(out.magnitude[i]))
            out.magnitude[i] = std::fabs(value);
    }
}

void BoundedOperation::sharpenMath(const Operation& step, const OperandRows& rows,
                                   std::size_t count) const {
    BoundedRow &out = rows.out, &a = rows.a, &b = rows.b;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = a.value[i].real, value = out.value[i].real;
        const bool known = a.error[i] == 0 && b.error[i] == 0;
        const bool beyond = std::isinf(value) && std::isfinite(x) && x != 0;
        const bool root = step.fn == MathFn::Sqrt && value * value == x &&
                          (x == 0 || x >= leastSplit) && std::fma(value, value, -x) == 0;
        const bool small = std::fabs(value) < leastNormalDouble && std::isfinite(x) &&
                           (step.fn == MathFn::Exp || step.fn == MathFn::Sigmoid ||
                            (step.fn == MathFn::Pow && value != 0));
        if (small && !m_ends)
            out.error[i] = std::max(out.error[i], leastPositive);
        else if (beyond && !(m_ends && known))
            out.error[i] = unbounded;
        else if (known && (!std::isfinite(value) || !std::isfinite(x) || root))
            out.error[i] = 0;
        else if (std::isnan(out.error[i]) || std::isnan(value))
            out.error[i] = unbounded;
    }
}

} // namespace fw
