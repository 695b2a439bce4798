// Values of types that ONNX has and nothing here computes with: text, numbers of less than a byte,
// complex ones, sequences, optionals, maps, sparse tensors. They are named and written back, not
// looked into (ir/missing_type.h says how they stand in the graph).
#pragma once

#include "ir/graph.h"
#include "onnx/model/names.h"
#include "onnx/model/proto.h"
#include "onnx/model/tensor_proto.h"

namespace fw {

// "text[N]", "sequence of f32[2]", "optional int4", "map of i64 to f32"; empty if it is a tensor of
// elements of ours or nothing at all, as far as it says. Names of dimensions are those of the
// graph.
std::string foreignTypeText(const proto::TypeProto& type, DimNames& dims);

// Attributes of the node that such a value is.
Attrs foreignInput(const proto::ValueInfoProto& declared, const std::string& type,
                   std::int64_t place);
// Of an input of which the model says too little: its type is not known, or only its elements are.
// It stands in the graph as one of a foreign type does, and has none (foreignType() is empty).
Attrs untypedInput(const proto::ValueInfoProto& declared, bool elementIsKnown, std::int64_t place);
Attrs foreignConstant(const ForeignTensor& tensor);
Attrs foreignConstant(const proto::SparseTensorProto& tensor);

// The tensor in full: what is not listed is 0. LimitReached where that is too much, OnnxMalformed
// where indices and values do not fit.
Result<TensorData> densified(proto::SparseTensorProto& tensor, ExternalData& external,
                             const OnnxLimits& limits);

TensorData bytesOf(const google::protobuf::MessageLite& message); // u8[n]
// false: the attribute is missing or damaged.
bool parseAttribute(const Attrs& attrs, const std::string& name,
                    google::protobuf::MessageLite& out);

// Attribute of an unknown node: the value_info of a GraphProto, whose names are the places of
// results of foreign types.
inline constexpr const char* declaredResultsKey = "declared_results";

// Writes such a leaf of the graph under that name.
Status writeForeignInput(const Node& node, const std::string& name, proto::ValueInfoProto& out);
Status writeForeignConstant(const Node& node, const std::string& name, proto::GraphProto& out);

} // namespace fw
