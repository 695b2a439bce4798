// Small-integer propagation: what models compute about shapes (Shape, Gather, Concat, arithmetic,
// ...) is evaluated while importing, element by element, as index expressions over the free
// dimensions. So the operand of a Reshape or an Expand becomes an attribute even when the batch is
// free.
#pragma once

#include "ir/tensor_data.h"
#include "onnx/model/proto.h"

#include <optional>
#include <string>
#include <vector>

namespace fw {

struct SmallTensor {
    DType dtype = DType::I64; // an integer type, or Bool
    std::vector<std::int64_t> extents;
    Exprs elements; // row-major; Bool elements are 0 or 1

    bool isFixed() const;
};

constexpr std::size_t smallTensorLimit = 1024; // elements

std::optional<SmallTensor>
smallTensor(const TensorData& data);             // integers and booleans up to the limit
TensorData fixedData(const SmallTensor& tensor); // isFixed() must hold

struct SmallOperand {
    bool present = false;
    std::optional<TensorType> type;   // known for every operand that has a type
    std::optional<SmallTensor> value; // known elements
};

// Results of one node of the standard domain, or nullopt when it cannot be evaluated this way.
std::optional<std::vector<SmallTensor>> evaluateSmall(const proto::NodeProto& node,
                                                      std::int64_t opset,
                                                      const std::vector<SmallOperand>& operands);

} // namespace fw
