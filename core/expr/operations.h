// The rows of functions.def: what is known of operations and functions without evaluating them.
#pragma once

#include "expr/expr.h"

namespace fw {

struct OperationRow {
    bool commutes = false;
    double cost = 0;  // of one, where an addition of vectors costs 1; of a Call see FunctionRow
    double flops = 0; // arithmetic that it counts as
};

enum class Takes : std::uint8_t { Real, Number, Integer };
enum class Symmetry : std::uint8_t { None, Odd, Even };

struct FunctionRow {
    std::string_view text;
    std::size_t operands = 1;
    double cost = 0;
    bool transcendental = false;
    double ulps = 0; // that code for it may err by: of its result, and in f32 absolutely
    double absolute = 0;
    Symmetry symmetry = Symmetry::None;
    bool monotone = true; // one that is not moves no further than its operand
    Takes takes = Takes::Real;
};

const OperationRow& rowOf(ExprOp op);
const FunctionRow& rowOf(MathFn fn);

} // namespace fw
