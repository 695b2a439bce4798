// Nodes that an `onnx` clause of an operator says what they are.
#pragma once

#include "onnx/read/node_import.h"

namespace fw {

// Makes the operator of the node: operands by position, attributes by the names of the clause and
// the types that the operator declares, results by number. Refused if the node does not fit.
Status importByClause(NodeImport& node, const Operator& op, const OnnxReading& reading);

// How far the operator takes what the node has, as far as that is known without a step of it.
enum class Fit : std::uint8_t { Not, AttributesOnly, Whole };
Fit fitOfClause(NodeImport& node, const Operator& op, const OnnxBinding& clause);

} // namespace fw
