// What a clause makes of the attributes and operands of a node: values of the operator's
// attributes.
#pragma once

#include "ir/operator.h"
#include "onnx/read/node_import.h"

namespace fw {

// An attribute that the node has.
Result<AttrValue> attributeValue(const NodeImport& node, const std::string& name, AttrType type);
AttrType typeOfFixed(const AttrValue& value); // of the attribute that is held against it
// What the operator has for what the node has.
Result<AttrValue> spelledValue(const NodeImport& node, const OnnxAttribute& source);
// What elements that are computed while the model runs are, where the attribute may hold free
// dimensions: refused, such dimensions (a trial makes them up), or those that are bound to them.
enum class Computed : std::uint8_t { Refused, MadeUp, Bound };
// The elements of an operand as an attribute.
Result<AttrValue> operandValue(NodeImport& node, const std::string& ours, std::size_t operand,
                               AttrType type, Computed computed);
// All axes; `order`: All or Reversed.
Integers axesInOrder(std::size_t rank, OnnxAttribute::Default order);
// Axes that count from the front, as the operator has them.
Result<AttrValue> fromTheFront(const NodeImport& node, AttrValue value, std::size_t rank);

} // namespace fw
