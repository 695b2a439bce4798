// A tensor while it is evaluated.
#pragma once

#include "expr/scalar.h"
#include "ir/op_inst.h"
#include "ir/tensor_data.h"

namespace fw {

// Concrete extents, row-major values, not rounded.
struct Values {
    DType dtype = DType::F32;
    std::vector<std::int64_t> extents;
    std::vector<Value> data;
};

Values valuesOf(const TensorData& data);
TensorData dataOf(const Values& values); // rounded

// DimUnbound where a free dimension has no value among `dims`.
Result<std::int64_t> extentOf(const Dim& dim, const Bindings& dims);
// NaN and 0 in every element, so that one which no stage writes shows. DimOverflow beyond 2^31.
Result<Values> unwritten(const TensorDecl& tensor, const Bindings& dims);

} // namespace fw
