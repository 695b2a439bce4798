// TensorProto <-> TensorData, with every check on sizes before a byte is touched.
#pragma once

#include "ir/tensor_data.h"
#include "onnx/model/external_data.h"

#include <optional>
#include <string>

namespace fw {

std::optional<DType> dtypeFromOnnx(std::int64_t code);
std::int32_t onnxFromDtype(DType dtype);
std::string onnxDtypeText(std::int64_t code); // "float8e4m3fn (17)", for messages

// Takes the bytes out of the message: what the protobuf string or list holds is moved into the
// tensor, not copied. External data is mapped through `external`. Errors do not name the tensor;
// the caller does.
Result<TensorData> takeTensor(proto::TensorProto& tensor, ExternalData& external,
                              const OnnxLimits& limits);

// The name of an element type that ONNX has and nothing here computes with: "text", "int4". Empty
// for the others.
std::string foreignElement(std::int64_t code);

// A tensor of such elements. It is not looked into: what is taken apart here is written back.
struct ForeignTensor {
    std::string header; // the TensorProto without its raw or external data
    TensorData data;    // these, as u8[n]; none if they are in the header
    std::string type;   // "int4[2, 3]"
};
// `tensor` is of a foreign element type; what its shape and its data say of each other is checked.
Result<ForeignTensor> takeForeignTensor(proto::TensorProto& tensor, ExternalData& external,
                                        const OnnxLimits& limits);

void fillTensor(proto::TensorProto& out, const TensorData& data, const std::string& name);

} // namespace fw
