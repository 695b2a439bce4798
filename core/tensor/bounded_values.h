// Values with what each may be off by (tensor/bounded.h), and what rounding in a type costs.
#pragma once

#include "base/cancel.h"
#include "expr/expr.h"
#include "ir/tensor_data.h"
#include "tensor/register_program.h"
#include "tensor/work_limit.h"

#include <limits>
#include <vector>

namespace fw {

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

// `errors` is empty if every element is exact; an element without a bound has that one.
struct BoundedValues {
    Values values; // not rounded
    std::vector<double> errors;

    double error(std::size_t index) const { return errors.empty() ? 0 : errors[index]; }
};

struct BoundedOptions {
    // What is asked of the values beside their bounds; the trial of rules asks (verdict/verdict.h).
    // Exact wherever that follows from the values: fractions of few bits, a conversion of an exact
    // operand (rounded then), whatever NaN and infinities make. A NaN of which nothing is known has
    // no bound.
    bool sharp = false;
    // Of sharp values: what a conversion rounds off is its result. Otherwise it is an error.
    bool converts = true;
    // Which floating point types end: a result of an operator beyond its type is infinite, one that
    // is too small for it 0.
    enum class Ends : std::uint8_t { None, Narrow, All } ends = Ends::None; // Narrow: f16 and bf16
    // Integers keep their low bits. Otherwise they grow, and beyond 64 bits have no bound.
    bool wraps = true;
    // Bodies that are evaluated per stage; of larger ones only some rows get values: those at the
    // beginning, at the end and at a place that the seed chooses. 0: all of them.
    std::int64_t work = 0;
    std::uint64_t seed = 1;
    // Steps of a stage, of the rows that get values; LimitReached for a larger one.
    std::int64_t most = mostReferencePoints;
    CancelToken cancel;
};

// What a call of a math function may err by, in units of u times its result, and absolutely.
struct MathError {
    double relative = 0;
    double absolute = 0;
};
MathError mathError(MathFn fn, DType dtype);
double roundingUnit(DType dtype);  // u: 2^-24 of f32; 0 of integers
double exactIntegers(DType dtype); // up to which all integers are representable: 2^24 of f32
double leastNormal(DType dtype);   // of a floating point type: 2^-126 of f32
// Of a value that is kept in the type: u of it, and of a denormal half of the least one.
double roundingError(DType dtype, double value);

BoundedValues exactValues(const TensorData& data);

} // namespace fw
