// The reference of a whole graph: node after node through Operator::reference. Slow and obvious;
// what a rewrite or a compiled module computes is judged by it.
#pragma once

#include "base/cancel.h"
#include "expr/simplify.h"
#include "ir/graph.h"
#include "tensor/register_program.h"

namespace fw {

// What becomes of an index that lies outside of its axis: it stands for the nearest element, or is
// an InputMismatch.
enum class BadIndices : std::uint8_t { Clamp, Refuse };

// One data per graph input, in order; gives one per result, in order. Free dimensions take the
// values that the inputs have where they stand alone in a type. InputMismatch, DimUnbound,
// NotRunnable (an unknown operator), Cancelled, or what an operator's reference refuses, with the
// node. With Precision::Steps operators without a tensor expression go through their reference.
Result<std::vector<TensorData>> evaluateGraph(const Graph& graph,
                                              const std::vector<TensorData>& inputs,
                                              const CancelToken& cancel = {},
                                              Precision precision = Precision::Double,
                                              BadIndices indices = BadIndices::Clamp);

// The call with sizes in place of free dimensions, in types and attributes. DimUnbound if one is
// missing.
Result<OpCall> callWith(OpCall call, const Substitution& dims);

} // namespace fw
