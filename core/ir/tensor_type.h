// TensorType: element type and shape. A dimension is an index expression >= 0 over free dimensions.
#pragma once

#include "base/result.h"
#include "expr/expr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fw {

using Dim = Expr;
using Shape = std::vector<Dim>;

struct TensorType {
    DType dtype = DType::F32;
    Shape shape;

    bool operator==(const TensorType&) const = default;
    std::string text() const; // "f32[N, 64, 56, 56]"; rank 0 is "f32[]"
    std::size_t rank() const { return shape.size(); }
};

Shape fixedShape(const std::vector<std::int64_t>& extents);
std::optional<std::vector<std::int64_t>>
fixedExtents(const Shape& shape);     // nullopt if a dim is free
Dim elementCount(const Shape& shape); // 1 for rank 0
Result<std::int64_t>
checkedCount(const std::vector<std::int64_t>& extents); // DimOverflow, or negative
std::string shapeText(const Shape& shape);              // "[N, 64]"

} // namespace fw
