// An own computation at values where laws of arithmetic end: NaN, infinities, large numbers. What
// the operator reads and does not lose is not to be lost (resources/docs/accuracy.md).
#pragma once

#include "base/random.h"
#include "ir/graph.h"

#include <optional>
#include <string>

namespace fw {

// The operands of the only call of a graph: its constants, and `inputs` for its inputs.
std::vector<TensorData> operandsOf(const Graph& call, const Node& node,
                                   const std::vector<TensorData>& inputs);

// The first difference, "its result[2] is 3 instead of nan, where operands hold NaN". `inputs`
// are whole numbers for the inputs of `call`, at which `own`, over all operands, is known to agree.
// Refused are: a NaN that is read and becomes a number; a value of the operator that is a number,
// or an infinity, and is another one here or none. But sums of products may spread what is no
// number over results that do not read it, as a transform does.
std::optional<std::string> differenceAtSpecialValues(const Graph& call, const Node& node,
                                                     const Graph& own,
                                                     const std::vector<TensorData>& inputs,
                                                     Random& random);

} // namespace fw
