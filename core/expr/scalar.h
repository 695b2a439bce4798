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

// While something is computed: `real` of a floating point type, `integer` of all others.
union Value {
    double real;
    std::int64_t integer;
};

inline Value realValue(double value) {
    Value out;
    out.real = value;
    return out;
}

inline Value intValue(std::int64_t value) {
    Value out;
    out.integer = value;
    return out;
}

Value literalValue(const Expr& literal); // of an Int or a Float, by its dtype

// An operation on values, apart from where they come from.
struct Operation {
    ExprOp op = ExprOp::Add; // but no leaf, Select, Load or Pad
    MathFn fn = MathFn::Exp; // of a Call
    DType from = DType::F32; // of the first operand
    DType dtype = DType::F32;
};

Operation operationOf(const Expr& e); // of an expression with operands

// Floats are computed in double and rounded by a Cast alone. Min and Max keep a NaN, as ONNX does.
Value applyOperation(const Operation& operation, Value a, Value b = {}, Value c = {});

// Whether an operation on integers has an exact result that 64 bits do not hold.
bool overflows(const Operation& operation, std::int64_t a, std::int64_t b);

// As a store to a tensor of that type does.
Value roundTo(Value value, DType dtype);

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

// The value that the bits of another one of the same size are, as they lie in memory.
Value sameBits(Value value, DType from, DType to);

// The two bytes of F16 or BF16: those of the nearest value as above, and their value. A NaN stays
// one, quiet, with its sign and the leading bits of its payload.
std::uint16_t narrowBits(DType dtype, double value);
double narrowValue(DType dtype, std::uint16_t bits);

std::int64_t leastOf(DType dtype); // of an integer type or Bool
std::int64_t mostOf(DType dtype);

// Add, Sub, Mul, Div, FloorDiv, Mod, Min, Max of two values of `dtype`; Eq, Ne, Lt, Le and the
// logical And, Or as 0 or 1.
std::int64_t applyIntegers(ExprOp op, DType dtype, std::int64_t a, std::int64_t b);

// A literal as one of another type: an integer keeps its low bits, a real number becomes the
// nearest of a float type and is cut to an integer one.
Expr literalAs(const Expr& literal, DType dtype);

} // namespace fw
