// A part of a graph as a graph of its own, and graphs with other types and constants.
#pragma once

#include "ir/graph.h"

#include <functional>

namespace fw {

// What `results` need, back to `inputs`, which become the inputs of the part in their order.
// Constants come along; an input of the graph that is needed and not among `inputs` becomes one,
// too. Names stay those of the graph, and nodes stand for the same origins. Dimensions that nodes
// bind are free in the part, or what computes them comes along.
enum class BoundDims : std::uint8_t { Free, Computed };
Result<GraphPtr> partOf(const Graph& graph, const std::vector<ValueRef>& inputs,
                        const std::vector<NamedValue>& results, BoundDims bound = BoundDims::Free);

// The same operators on inputs of other types and other constants; types are inferred anew, so
// this fails where the operators do not take them.
struct Refilling {
    std::function<TensorType(const Node& input)> input = {};       // none: as they are
    std::function<TensorData(const Node& constant)> constant = {}; // none: as they are
};
Result<GraphPtr> refilled(const Graph& graph, const Refilling& with);

// With values for its free dimensions; InputMismatch or ShapeMismatch where the operators rule them
// out.
Result<GraphPtr> boundTo(const Graph& graph, const std::map<std::string, std::int64_t>& dims);

} // namespace fw
