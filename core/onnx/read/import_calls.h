// Nodes that an operator reads which stands for calls of others: those calls become the node.
#pragma once

#include "onnx/read/node_import.h"

namespace fw {

inline constexpr int mostCalls = 4096; // of a node, those of operators inside each other counted
inline constexpr int mostNested = 16;  // operators that stand for calls, inside each other

// One element along whatever axes, where the operator has a number.
bool isSeenAsNumber(const Operator& op, std::size_t operand, const TensorType& type);

// `operands`: of the node, by position those of the operator. What is known of small integers while
// importing is a constant; calls whose results nobody uses are left out.
Status importCalls(NodeImport& node, const Operator& op, const std::vector<std::size_t>& operands,
                   const Attrs& attrs);

} // namespace fw
