// What is asked of the small graphs of trials.
#pragma once

#include "ir/graph.h"

#include <vector>

namespace fw {

bool reads(const Graph& graph, NodeId input); // a result or an operand is this input
// The coarsest rounding of what a graph computes; 0 if it computes no real numbers.
double coarsestUnit(const Graph& graph);
// Whether the sign of a zero may become that of an infinity.
bool divides(const Graph& graph);
// Whether one of its values is no finite number of its type.
bool leavesTheNumbers(const Graph& graph, const std::vector<TensorData>& inputs);
// Whether finite elements, as they are rounded, are not the same.
bool roundedApart(const std::vector<TensorData>& a, const std::vector<TensorData>& b);

std::int64_t sizeOf(const Graph& graph); // its elements; tensors without any count as large
bool readsText(const Graph& graph);

} // namespace fw
