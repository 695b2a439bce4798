// A case: a graph, the sizes of its free dimensions, its operands and what it must compute.
#pragma once

#include "fuzz/drawn.h"
#include "ir/graph.h"

#include <map>
#include <string>
#include <vector>

namespace fw::fuzz {

using Sizes = std::map<std::string, std::int64_t>; // of the free dimensions, by name

struct Case {
    std::uint64_t seed = 0;
    GraphPtr graph;
    Sizes sizes;
    Sizes others; // a second choice of sizes; empty if there is no free dimension
    Values values = Values::Random;
    std::vector<TensorData> inputs; // for `sizes`
    std::vector<TensorData> wanted; // the results that the reference computes from them
    std::vector<bool> exact;        // per result: no rounding anywhere on the way to it
};

// The operands of `graph` for these sizes, seeded by position. DimUnbound.
Result<std::vector<TensorData>> operandsOf(const Graph& graph, const Sizes& sizes, Values values);

// `graph` without free dimensions: names, attributes and origins as they are.
Result<GraphPtr> bound(const Graph& graph, const Sizes& sizes);

// Fills what follows `values`, by the reference. Refused as the reference refuses.
Status evaluateCase(Case& one);

} // namespace fw::fuzz
