#include "ir/tensor_type.h"

#include "base/numbers.h"

#include <fmt/format.h>

namespace fw {

std::string shapeText(const Shape& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i > 0)
            out += ", ";
        out += shape[i].text();
    }
    return out + "]";
}

std::string TensorType::text() const {
    return std::string(dtypeText(dtype)) + shapeText(shape);
}

Shape fixedShape(const std::vector<std::int64_t>& extents) {
    Shape out;
    for (std::int64_t extent : extents)
        out.emplace_back(extent);
    return out;
}

std::optional<std::vector<std::int64_t>> fixedExtents(const Shape& shape) {
    std::vector<std::int64_t> out;
    for (const Dim& dim : shape) {
        const auto value = dim.asInt();
        if (!value)
            return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

Dim elementCount(const Shape& shape) {
    Dim out(1);
    for (const Dim& dim : shape)
        out = out * dim;
    return out;
}

Result<std::int64_t> checkedCount(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (std::int64_t extent : extents) {
        if (extent < 0)
            return makeDiag(DiagCode::ShapeMismatch, fmt::format("a dimension is {}", extent));
        const auto product = checkedMul(count, extent);
        if (!product)
            return makeDiag(DiagCode::DimOverflow,
                            "the number of elements does not fit in 63 bits");
        count = *product;
    }
    return count;
}

} // namespace fw
