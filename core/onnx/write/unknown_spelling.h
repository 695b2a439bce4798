// An "unknown" node of the graph as the ONNX node that it was read from.
#pragma once

#include "ir/graph.h"
#include "onnx/model/proto.h"
#include "onnx/schema/standard_operators.h"

#include <map>
#include <set>
#include <string>

namespace fw {

struct UnknownSpelling {
    proto::NodeProto node;  // with stand-ins for operands and results: "x", and "" if absent
    std::int64_t opset = 1; // of its domain, in the model that it was read from
    std::map<std::string, std::int64_t> innerOpsets; // of the domains in its sub-graphs
    Texts captures;         // names that its sub-graphs read; their values end the operands
    std::set<int> untyped;  // results of which the model did not declare a type
    std::set<int> unranked; // results with an element type and no shape
    std::set<int> absent;   // results that the model left out
    std::map<int, proto::TypeProto> declared;    // of results whose types are none of ours
    std::vector<proto::FunctionProto> functions; // of the model read, that it calls
    std::map<int, TensorData> moved;             // operands that were attributes in the model read

    // The opset of the standard domain that its nodes were read from; 0 if it has none of that
    // domain.
    std::int64_t standardOpset() const;
};

// The value of an attribute that has its name. UnsupportedAttribute if it has no form in ONNX.
Status fillAttribute(proto::AttributeProto& out, const AttrValue& value);

// Makes of it the node that means the same in opset `target` of the standard domain, where that
// differs by attributes that became operands. false if more differs; then nothing is changed.
bool raise(UnknownSpelling& spelling, std::int64_t target);

// UnsupportedAttribute if an attribute has no form in ONNX.
Result<UnknownSpelling> unknownSpelling(const Node& node);

} // namespace fw
