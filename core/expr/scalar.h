// What element types do to values: the one meaning that constant folding, the reference and the
// loop interpreter share, and that machine code is held to.
//
// A value travels in 64 bits, extended as its type says; of a U64 they are its bits. Arithmetic
// wraps. x / 0, floor(x / 0) and x mod 0 are 0; the least value divided by -1 is itself and leaves
// no rest. (Shapes are checked instead: see evalIndex and runtime/expression.h.)
#pragma once

#include "expr/expr.h"

#include <cstdint>

namespace fw {

// The value that a store to an integer type keeps: its low bits; of Bool 0 or 1. Others as they
// are.
std::int64_t wrapTo(DType dtype, std::int64_t value);

// A conversion from floating point to an integer type: towards zero, the nearest limit beyond the
// range, 0 for a NaN. A truth is whatever is not 0.
std::int64_t saturateTo(DType dtype, double value);

// A conversion from an integer type to a floating point type, rounded once.
double realOf(DType from, std::int64_t value, DType to);

// What a store to a floating point type keeps: the nearest value, halves to even, infinite from
// halfway beyond the largest on. Others as they are.
double roundReal(DType dtype, double value);

// The two bytes of F16 or BF16: those of the nearest value as above, and their value. A NaN stays
// one, quiet, with its sign and the leading bits of its payload.
std::uint16_t narrowBits(DType dtype, double value);
double narrowValue(DType dtype, std::uint16_t bits);

std::int64_t leastOf(DType dtype); // of an integer type or Bool
std::int64_t mostOf(DType dtype);

// Add, Sub, Mul, Div, FloorDiv, Mod, Min, Max of two values of `dtype`; Eq, Ne, Lt, Le and the
// logical And, Or as 0 or 1.
std::int64_t applyIntegers(ExprOp op, DType dtype, std::int64_t a, std::int64_t b);
// Abs (the least value of a signed type stays as it is) and Sign; other functions do not take
// integers.
std::int64_t applyIntegerFunction(MathFn fn, DType dtype, std::int64_t a);

// A literal as one of another type: an integer keeps its low bits, a real number becomes the
// nearest of a float type and is cut to an integer one.
Expr literalAs(const Expr& literal, DType dtype);

} // namespace fw
