// What one operation makes of rows of bounded values (tensor/bounded.h): of their values,
// magnitudes and errors.
#pragma once

#include "tensor/bounded_values.h"

#include <algorithm>
#include <cmath>

namespace fw {

// `count` values of one register. `magnitude` is the value computed with absolute operands.
struct BoundedRow {
    Value* value = nullptr;
    double* magnitude = nullptr; // of floats
    double* error = nullptr;     // of a truth value or an index: not 0 means that it may differ
    bool exact = true;           // errors are 0 and magnitudes those of the values; not filled in
};

// For |x| < 2^51, without a call: the sum has no bits behind the point.
inline bool isWhole(double x) {
    constexpr double shift = 6755399441055744.0; // 1.5 * 2^52
    return (x + shift) - shift == x;
}

// Fills in magnitudes and errors of an exact row.
void spellOut(BoundedRow& row, DType dtype, std::size_t count);

// Operands that an operation has not are the first once more.
struct OperandRows {
    BoundedRow &out, &a, &b, &c;
    std::size_t length = 0; // to which an exact row is spelled out, `count` or more
};

class BoundedOperation {
public:
    explicit BoundedOperation(const BoundedOptions& options)
        : m_sharp(options.sharp), m_converts(options.sharp && options.converts),
          m_ends(options.ends == BoundedOptions::Ends::All), m_wraps(options.wraps) {}

    void apply(const Operation& step, const OperandRows& rows, std::size_t count) const;

private:
    void applyInteger(const Operation& step, const OperandRows& rows, std::size_t count) const;
    void applyReal(const Operation& step, const OperandRows& rows, std::size_t count) const;
    void applyMath(const Operation& step, const OperandRows& rows, std::size_t count) const;
    void applyCast(const Operation& step, const OperandRows& rows, std::size_t count) const;
    void boundReal(const Operation& step, const OperandRows& rows, std::size_t count) const;
    void sharpenReal(const Operation& step, const OperandRows& rows, std::size_t count) const;
    void sharpenMath(const Operation& step, const OperandRows& rows, std::size_t count) const;

    bool m_sharp, m_converts, m_ends, m_wraps;
};

// How far f may move where x is moved by no more than `error`; f is monotone there.
template <class Function>
double reach(Function f, double x, double error) {
    if (error == 0)
        return 0;
    const double at = f(x);
    const double moved = std::max(std::fabs(f(x + error) - at), std::fabs(f(x - error) - at));
    return std::isnan(moved) ? unbounded : moved;
}

} // namespace fw
