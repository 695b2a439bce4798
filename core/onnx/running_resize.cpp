// Resize by scales or sizes that are computed while the model runs: every axis is one operator
// that reads its step and start from a small tensor.
#include "onnx/running_sizes.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

constexpr std::string_view coordinateModes[] = {
    "half_pixel",    "asymmetric",           "tf_half_pixel_for_nn", "pytorch_half_pixel",
    "align_corners", "half_pixel_symmetric", "tf_crop_and_resize"};

Result<ValueRef> numbersAs(NodeImport& n, std::size_t i, DType dtype, std::size_t count) {
    FW_TRY(const ValueRef value, n.input(i));
    const TensorType type = n.type(value);
    if (type.rank() == 1 && !type.shape[0].asInt())
        return n.unsupported(fmt::format("{} is no fixed number of scales", type.text()),
                             "its shape has to be known before the model runs");
    if (type.rank() != 1 || !type.shape[0].isInt(static_cast<std::int64_t>(count)) ||
        !isFloat(type.dtype))
        return n.malformed(fmt::format("{} for {} axes", type.text(), count));
    if (type.dtype == dtype)
        return value;
    Attrs to;
    to.set("to", dtype);
    return n.step("cast", {value}, std::move(to));
}

} // namespace

Status resizeRunning(NodeImport& n, const RunningResize& how, std::optional<std::size_t> scales,
                     std::optional<std::size_t> sizes) {
    const auto* mode =
        std::find(std::begin(coordinateModes), std::end(coordinateModes), how.coordinates);
    if (mode == std::end(coordinateModes))
        return n.unsupported("coordinate_transformation_mode '" + how.coordinates +
                             "' is not supported");
    if (how.mode != "nearest")
        n.computeWide();
    FW_TRY(ValueRef y, n.input(0));
    FW_TRY(ValueRef extents, extentsOf(n, y));
    const std::size_t count = how.axes.size();
    if (count != n.type(y).rank()) {
        const ValueRef which =
            n.addConstant("axes", dataFromIntegers(DType::I64, {static_cast<std::int64_t>(count)},
                                                   Integers(how.axes.begin(), how.axes.end())));
        Attrs along;
        along.set("axis", std::int64_t{0});
        FW_TRY(extents, n.step("gather", {extents, which}, std::move(along)));
    }
    ValueRef factors, wanted;
    if (scales) {
        FW_TRY(const ValueRef given, numbersAs(n, *scales, DType::F32, count));
        FW_TRY(wanted, n.step("scaled_extents", {extents, given}));
        FW_TRY(factors, numbersAs(n, *scales, DType::F64, count));
    } else {
        FW_TRY(wanted, integerVector(n, sizes.value()));
        if (!n.type(wanted).shape[0].isInt(static_cast<std::int64_t>(count)))
            return n.malformed(fmt::format("{} for {} axes", n.type(wanted).text(), count));
        FW_TRY(factors, n.step("extent_scales", {extents, wanted}));
    }
    Exprs dims;
    if (const auto known = sizes ? n.shapeValues(*sizes) : std::nullopt) {
        dims = *known;
    } else {
        FW_TRY(dims, n.boundExtents(wanted));
    }
    std::vector<ValueRef> operands{extents, wanted, factors};
    const bool crop = how.coordinates == "tf_crop_and_resize";
    if (crop) {
        FW_TRY(const ValueRef region, numbersAs(n, 1, DType::F64, 2 * count));
        operands.push_back(region);
    }
    Attrs counted;
    counted.set("mode", std::int64_t{mode - std::begin(coordinateModes)});
    FW_TRY(const ValueRef places, n.step("resize_places", operands, std::move(counted)));
    const Shape shape = n.type(y).shape;
    std::vector<Attrs> steps;
    for (std::size_t i = 0; i < count; ++i) {
        if (sizes && !crop && dims[i] == shape[how.axes[i]])
            continue; // every place is one of the operand
        Attrs& attrs = steps.emplace_back();
        attrs.set("axis", static_cast<std::int64_t>(how.axes[i]));
        attrs.set("size", shapeAttr({dims[i]}));
        attrs.set("row", static_cast<std::int64_t>(i));
        attrs.set("crop", std::int64_t{crop});
        attrs.set("outside", how.outside);
        if (how.mode == "nearest")
            attrs.set("rounding", how.rounding);
        if (how.mode == "cubic") {
            attrs.set("a", how.cubic);
            attrs.set("exclude", std::int64_t{how.exclude});
        }
    }
    if (steps.empty())
        return n.result("identity", {y});
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        FW_TRY(y, n.step("resize_" + how.mode, {y, places}, std::move(steps[i])));
    }
    return n.result("resize_" + how.mode, {y, places}, std::move(steps.back()));
}

} // namespace fw
