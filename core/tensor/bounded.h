// The reference with a bound: what a computation gives in double without any rounding, and for
// every element how far a right implementation in the element types may be from it.
//
// The bound follows from the expressions and the values (running error analysis), so nothing is
// declared per operator:
//   - what moves, compares or picks is exact, and so are sums and products of integers while the
//   sum
//     of their magnitudes is exactly representable (below 2^24 in f32), in any order;
//   - any other addition or multiplication may err by u times the sum of the magnitudes (u = 2^-24
//     in f32), a sum of K terms by gamma(K) = K u / (1 - K u) times the sum of the magnitudes;
//   - a division by 4 u, a math function by what `mathUlps` says, each of its result;
//   - a NaN or an infinity that an operand holds, or that exact operands give, is exact; where
//     rounding may have made one there is no bound;
//   - errors of operands are handed on; where one decides (a comparison, an index, a rounding), the
//     element gets what it could become, or no bound at all.
#pragma once

#include "base/cancel.h"
#include "ir/graph.h"
#include "ir/tensor_data.h"
#include "tensor/program.h"
#include "tensor/work_limit.h"

namespace fw {

// `errors` is empty if every element is exact; an element without a bound has an infinite one.
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

BoundedValues exactValues(const TensorData& data);

// As evaluate(). Every extent is a number.
Result<std::vector<BoundedValues>> evaluateBounded(const OpInst& inst,
                                                   const std::vector<const BoundedValues*>& inputs,
                                                   const BoundedOptions& options = {});

// As evaluateGraph(), of a graph without free dimensions. An operator without a tensor expression
// goes through its reference; of operands with errors its results have no bound.
Result<std::vector<BoundedValues>> evaluateGraphBounded(const Graph& graph,
                                                        const std::vector<TensorData>& inputs,
                                                        const BoundedOptions& options = {});

} // namespace fw
