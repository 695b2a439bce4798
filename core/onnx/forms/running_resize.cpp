// Resize by scales or sizes that are computed while the model runs: every axis is one operator
// that reads its step, start and divisor from a small tensor.
#include "expr/scalar.h"
#include "onnx/forms/resize_places.h"
#include "onnx/forms/running_sizes.h"

#include <fmt/format.h>

namespace fw {

namespace {

Result<ValueRef> numbersOf(NodeImport& n, std::size_t i, std::size_t count) {
    FW_TRY(const ValueRef value, n.input(i));
    const TensorType type = n.type(value);
    if (type.rank() == 1 && !type.shape[0].asInt())
        return n.unsupported(fmt::format("{} is no fixed number of scales", type.text()),
                             "its shape has to be known before the model runs");
    if (type.rank() != 1 || !type.shape[0].isInt(static_cast<std::int64_t>(count)) ||
        !isFloat(type.dtype))
        return n.malformed(fmt::format("{} for {} axes", type.text(), count));
    if (type.dtype == DType::F32)
        return value;
    Attrs to;
    to.set("to", DType::F32);
    return n.step("cast", {value}, std::move(to));
}

} // namespace

Status resizeRunning(NodeImport& n, const RunningResize& how, std::optional<std::size_t> scales,
                     std::optional<std::size_t> sizes) {
    const auto mode = coordinatesOf(how.coordinates);
    if (!mode)
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
    ValueRef factors, ratio, wanted; // without both they are wanted / extents
    if (scales) {
        FW_TRY(factors, numbersOf(n, *scales, count));
        FW_TRY(wanted, n.step("scaled_extents", {extents, factors}));
    } else {
        FW_TRY(wanted, integerVector(n, sizes.value()));
        if (!n.type(wanted).shape[0].isInt(static_cast<std::int64_t>(count)))
            return n.malformed(fmt::format("{} for {} axes", n.type(wanted).text(), count));
        if (how.oneScale) {
            Attrs largest;
            largest.set("largest", std::int64_t{*how.oneScale});
            FW_TRY(ratio, n.step("aspect_ratio", {extents, wanted}, std::move(largest)));
            FW_TRY(wanted, n.step("fitted_extents", {extents, ratio}));
        }
    }
    Exprs dims;
    if (const auto known = sizes && !how.oneScale ? n.shapeValues(*sizes) : std::nullopt) {
        dims = *known;
    } else {
        FW_TRY(dims, n.boundExtents(wanted));
    }
    std::vector<ValueRef> operands{extents, wanted, factors};
    const bool crop = *mode == Coordinates::TfCropAndResize;
    if (crop) {
        FW_TRY(const ValueRef region, numbersOf(n, 1, 2 * count));
        for (const std::size_t half : {0u, 1u}) { // the starts of all axes, then their ends
            Attrs part;
            part.set("axes", Integers{0});
            part.set("steps", Integers{1});
            part.set("starts", Integers{static_cast<std::int64_t>(half * count)});
            part.set("ends", Integers{static_cast<std::int64_t>((half + 1) * count)});
            FW_TRY(operands.emplace_back(), n.step("slice", {region}, std::move(part)));
        }
    }
    if (ratio.valid()) {
        operands.resize(5);
        operands.push_back(ratio);
    }
    Attrs counted;
    counted.set("mode", static_cast<std::int64_t>(*mode));
    FW_TRY(const ValueRef places, n.step("resize_places", operands, std::move(counted)));
    std::string op = "resize_" + how.mode;
    ValueRef growth;
    const bool filtered = how.antialias && how.mode != "nearest";
    if (filtered) {
        op = "resize_filtered_at";
        FW_TRY(growth, n.step("resize_growth", {extents, wanted, factors, ratio}));
    }
    const Shape shape = n.type(y).shape;
    std::vector<Attrs> steps;
    for (std::size_t i = 0; i < count; ++i) {
        if (sizes && !crop && !how.oneScale && dims[i] == shape[how.axes[i]])
            continue; // every place is one of the operand
        Attrs& attrs = steps.emplace_back();
        attrs.set("axis", static_cast<std::int64_t>(how.axes[i]));
        attrs.set("size", shapeAttr({dims[i]}));
        attrs.set("row", static_cast<std::int64_t>(i));
        attrs.set("crop", std::int64_t{crop});
        attrs.set("outside", how.outside);
        if (how.mode == "nearest")
            attrs.set("rounding", how.rounding);
        if (how.mode == "cubic")
            attrs.set("a", how.cubic);
        if (how.mode == "cubic" || filtered)
            attrs.set("exclude", std::int64_t{how.exclude});
        if (filtered)
            attrs.set("cubic", std::int64_t{how.mode == "cubic"});
    }
    if (steps.empty())
        return n.result("identity", {y});
    FW_TRY(const Interpolated whole, Interpolated::begin(n, how.mode, y));
    y = whole.from;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::vector<ValueRef> read{y, places};
        if (filtered)
            read.push_back(growth);
        if (i + 1 == steps.size() && !whole.integer)
            return n.result(op, std::move(read), std::move(steps[i]));
        FW_TRY(y, n.step(op, std::move(read), std::move(steps[i])));
    }
    return whole.end(n, y);
}

Result<Interpolated> Interpolated::begin(NodeImport& n, const std::string& mode, ValueRef x) {
    Interpolated out{x, std::nullopt};
    const DType dtype = n.type(x).dtype;
    if (mode == "nearest" || !isInteger(dtype))
        return out;
    out.integer = dtype;
    Attrs to;
    to.set("to", dtypeBytes(dtype) == 1 ? DType::F32 : DType::F64);
    FW_TRY(out.from, n.step("cast", {x}, std::move(to)));
    return out;
}

Status Interpolated::end(NodeImport& n, ValueRef y) const {
    const DType dtype = n.type(y).dtype;
    const double parts = dtype == DType::F32 ? 1 << 12 : 1 << 20;
    FW_TRY(y, n.step("mul", {y, n.scalarConstant("parts", parts, dtype)}));
    FW_TRY(y, n.step("round", {y}));
    FW_TRY(y, n.step("mul", {y, n.scalarConstant("part", 1 / parts, dtype)}));
    // What lies beyond the ends of the type: cubic weights overshoot. Of 64 bits the most is none
    // of the type's reals, the next one below is.
    const double most = dtypeBytes(*integer) < 8 ? static_cast<double>(mostOf(*integer))
                        : *integer == DType::I64 ? 0x1p63 - 1024
                                                 : 0x1p64 - 2048;
    Attrs ends;
    ends.set("min", static_cast<double>(leastOf(*integer)));
    ends.set("max", most);
    FW_TRY(y, n.step("clip", {y}, std::move(ends)));
    Attrs to;
    to.set("to", *integer);
    return n.result("cast", {y}, std::move(to));
}

} // namespace fw
