// What a graph computes, as terms: every element of its results as a formula over the elements of
// its inputs, and of constants that are not to be numbers.
#pragma once

#include "ir/graph.h"
#include "verdict/terms.h"

#include <map>
#include <optional>

namespace fw {

struct SymbolicTensor {
    DType dtype = DType::F32;
    std::vector<std::int64_t> extents;
    std::vector<TermId> data; // row-major
};

// Elements of a tensor of this type, the first of which is the leaf `first`.
SymbolicTensor leavesOf(const TensorType& type, std::int64_t first, Terms& terms);

// `inputs`: in their order; `constants`: for some constants, by node; the others are numbers.
// nullopt: an operator without a tensor expression, an index that is no number, or more than
// `mostTerms` terms.
std::optional<std::vector<SymbolicTensor>>
evaluateTerms(const Graph& graph, const std::vector<SymbolicTensor>& inputs,
              const std::map<NodeId, SymbolicTensor>& constants, Terms& terms,
              std::size_t mostTerms);

} // namespace fw
