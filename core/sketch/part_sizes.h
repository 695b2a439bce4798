// The sizes of a part of a graph, as free as its operators leave them.
#pragma once

#include "sketch/sketch_part.h"

#include <map>
#include <optional>

namespace fw {

using OperandTypes = std::map<ValueRef, TensorType>; // of the operands of a part

// The part as a graph of its own on operands of these types.
struct PartGraph {
    GraphPtr graph;
    std::map<ValueRef, ValueRef> values; // of the part -> of the graph
};
Result<PartGraph> partGraph(const SketchPart& part, const OperandTypes& types);

// Sizes that the operators want equal, or 1, are made so; what nothing is asked of stays free.
// nullopt: the operators want numbers.
std::optional<OperandTypes> freeSizes(const SketchPart& part);

} // namespace fw
