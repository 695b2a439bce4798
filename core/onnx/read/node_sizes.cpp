// Operands of a node as sizes: known while importing, or free dimensions that take the values of
// the operand while the model runs (bind_dims).
#include "onnx/read/node_import.h"

#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

std::optional<Exprs> wholeNumbers(const TensorData& data) {
    if (data.count() > smallTensorLimit)
        return std::nullopt;
    Exprs out;
    for (const double one : data.toDoubles()) {
        if (one != std::floor(one) || std::abs(one) > 1e15)
            return std::nullopt;
        out.emplace_back(static_cast<std::int64_t>(one));
    }
    return out;
}

} // namespace

std::optional<Exprs> NodeImport::shapeValues(std::size_t i) const {
    if (!has(i))
        return std::nullopt;
    auto small = m_model.small(m_node.input(static_cast<int>(i)));
    if (!small || small->dtype == DType::Bool)
        return std::nullopt;
    return small->elements;
}

Result<Exprs> NodeImport::sizes(std::size_t i) {
    if (auto known = shapeValues(i))
        return std::move(*known);
    if (const TensorData* data = computedConstant(i); data != nullptr && isFloat(data->dtype()))
        if (auto whole = wholeNumbers(*data))
            return std::move(*whole);
    FW_TRY(ValueRef value, input(i));
    const TensorType type = this->type(value);
    const auto extents = fixedExtents(type.shape);
    if (!extents || type.dtype == DType::Bool || type.dtype == DType::Text)
        return unsupported(fmt::format("{} is no fixed number of sizes", type.text()),
                           "its shape has to be known before the model runs");
    if (type.dtype != DType::I64) {
        Attrs to;
        to.set("to", DType::I64);
        FW_TRY(value, step("cast", {value}, std::move(to)));
    }
    std::int64_t count = 1;
    for (const std::int64_t extent : *extents)
        count *= extent;
    if (type.rank() != 1) {
        FW_TRY(value, reshaped(value, {intExpr(count)}));
    }
    const std::string& name = m_node.input(static_cast<int>(i));
    FW_TRY(Exprs out, count == 1 ? boundAs(value, {name}) : bound(value, name + "_"));
    if (isInteger(type.dtype))
        m_model.bindSizes(name, {type.dtype, *extents, out});
    return out;
}

Result<Exprs> NodeImport::bound(ValueRef sizes, const std::string& prefix) {
    const auto known = type(sizes).shape.at(0).asInt();
    if (!known)
        return unsupported(fmt::format("how many axes the result has is computed: {} of them",
                                       type(sizes).shape.at(0).text()),
                           "its shape has to be known before the model runs, but for its sizes");
    const std::int64_t count = *known;
    if (count > static_cast<std::int64_t>(smallTensorLimit))
        return makeDiag(DiagCode::LimitReached, fmt::format("{} sizes that are computed", count));
    Texts names;
    for (std::int64_t i = 0; i < count; ++i)
        names.push_back(fmt::format("{}{}", prefix, i));
    return boundAs(sizes, names);
}

Result<Exprs> NodeImport::boundAs(ValueRef sizes, const Texts& names) {
    Exprs out;
    for (const std::string& name : names)
        out.push_back(m_model.freshDim(name));
    if (out.empty())
        return out;
    Attrs attrs;
    attrs.set("dims", out);
    FW_CHECK(step("bind_dims", {sizes}, std::move(attrs)));
    return out;
}

Status NodeImport::resultBound(ValueRef sizes, const Texts& names) {
    Exprs dims;
    for (const std::string& name : names)
        dims.push_back(m_model.freshDim(name));
    Attrs attrs;
    attrs.set("dims", dims);
    FW_CHECK(result("bind_dims", {sizes}, std::move(attrs)));
    m_model.bindSizes(m_node.output(0),
                      {DType::I64, {static_cast<std::int64_t>(dims.size())}, dims});
    return {};
}

} // namespace fw
