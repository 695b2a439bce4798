// Math functions as LLVM instructions, for a scalar or a vector of any length, without calls.
//
// Polynomials of our own, strict floats, NaN and infinities as in C. Largest errors over the whole
// range of f32 (resources/docs/accuracy.md, tests/codegen/test_vecmath.cpp): exp, log 2 ulp,
// sigmoid 3 ulp, tanh 6 ulp, erf 1e-6 absolute, pow, sin, cos 1 ulp (computed in f64; pow with a
// constant exponent that is a multiple of 1/4 up to 4 takes products and roots, 5 ulp). sqrt,
// floor, ceil, round (half to even), abs, sign are exact, rsqrt is 1 / sqrt. f64 has the same
// functions within 8 ulp, but pow, whose error grows with the exponent of the result. sin and cos
// give NaN beyond |x| = 2^50 (2^20 without FMA).
#pragma once

#include "expr/expr.h"
#include "target/target.h"

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace fw::codegen {

// a (and b for pow) are f32 or f64, scalar or vector. The intrinsics used need no library on any
// target.
llvm::Value* emitMath(llvm::IRBuilderBase& builder, const Target& target, MathFn fn, llvm::Value* a,
                      llvm::Value* b = nullptr);

// a * b + c; rounded once if the target has FMA, twice otherwise.
llvm::Value* emitFma(llvm::IRBuilderBase& builder, const Target& target, llvm::Value* a,
                     llvm::Value* b, llvm::Value* c);

} // namespace fw::codegen
