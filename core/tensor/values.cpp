#include "tensor/values.h"

#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

constexpr std::int64_t maxElements = std::int64_t(1) << 31;

} // namespace

Values valuesOf(const TensorData& data) {
    Values out;
    out.dtype = data.dtype();
    out.extents = data.extents();
    out.data.resize(data.count());
    if (isFloat(data.dtype())) {
        const std::vector<double> values = data.toDoubles();
        for (std::size_t i = 0; i < values.size(); ++i)
            out.data[i].real = values[i];
    } else {
        const std::vector<std::int64_t> values = data.toIntegers();
        for (std::size_t i = 0; i < values.size(); ++i)
            out.data[i].integer = values[i];
    }
    return out;
}

TensorData dataOf(const Values& values) {
    if (isFloat(values.dtype)) {
        std::vector<double> out(values.data.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = values.data[i].real;
        return dataFromDoubles(values.dtype, values.extents, out);
    }
    std::vector<std::int64_t> out(values.data.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = values.data[i].integer;
    return dataFromIntegers(values.dtype, values.extents, out);
}

Result<std::int64_t> extentOf(const Dim& dim, const Bindings& dims) {
    const std::optional<std::int64_t> value = evalIndex(dim, dims);
    if (!value)
        return makeDiag(DiagCode::DimUnbound,
                        fmt::format("the dimension {} has no value", dim.text()));
    return *value;
}

Result<Values> unwritten(const TensorDecl& tensor, const Bindings& dims) {
    Values out;
    out.dtype = tensor.type.dtype;
    for (const Dim& dim : tensor.type.shape) {
        FW_TRY(const std::int64_t extent, extentOf(dim, dims));
        out.extents.push_back(extent);
    }
    FW_TRY(const std::int64_t count, checkedCount(out.extents));
    if (count > maxElements)
        return makeDiag(DiagCode::DimOverflow,
                        fmt::format("{} has {} elements, too many for the reference",
                                    tensor.name.text(), count));
    Value nothing;
    nothing.integer = 0;
    if (isFloat(out.dtype))
        nothing.real = std::nan("");
    out.data.assign(static_cast<std::size_t>(count), nothing);
    return out;
}

} // namespace fw
