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

#include "ir/graph.h"
#include "tensor/bounded_values.h"

namespace fw {

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
