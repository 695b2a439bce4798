// Nodes that an `onnx` clause of an operator says what they are.
#pragma once

#include "onnx/read/node_import.h"

namespace fw {

// Makes the operator of the node: operands by position, attributes by the names of the clause and
// the types that the operator declares, results by number. Refused if the node does not fit.
Status importByClause(NodeImport& node, const Operator& op, const OnnxReading& reading);

} // namespace fw
