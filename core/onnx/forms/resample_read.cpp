// Resize and Upsample as one operator for each axis that changes, and places of images. Where
// places of the result lie in the operand is said by three numbers, whatever the coordinate mode.
#include "base/numbers.h"
#include "expr/simplify.h"
#include "onnx/forms/resize_places.h"
#include "onnx/forms/running_sizes.h"
#include "onnx/read/importers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace fw {

namespace {

struct AxisPlan {
    std::size_t axis = 0;
    Dim size;
    Fraction scale;
    Fraction roiStart{0, 1}, roiEnd;
};

struct ResizeMode {
    std::string mode, coordinates, nearest;
    double cubic = -0.75;
    bool exclude = false;
    double outside = 0;
    bool antialias = false;
};

Result<AxisPlaces> placesOf(NodeImport& n, const ResizeMode& how, const AxisPlan& plan,
                            const Dim& extent) {
    const auto mode = coordinatesOf(how.coordinates);
    if (!mode)
        return n.unsupported("coordinate_transformation_mode '" + how.coordinates +
                             "' is not supported");
    ResizedAxis axis{plan.scale, 0, 0, plan.roiStart, plan.roiEnd};
    if (needsExtents(*mode)) {
        // An axis that stays as it is may be of any extent.
        if (plan.scale.over == plan.scale.under && plan.size == extent && plan.roiStart.over == 0 &&
            plan.roiEnd.over == plan.roiEnd.under)
            return AxisPlaces{};
        const auto from = extent.asInt(), to = plan.size.asInt();
        if (!from || !to)
            return n.unsupported("coordinate_transformation_mode '" + how.coordinates +
                                     "' over a free dimension",
                                 "export the model with fixed image sizes or with half_pixel");
        axis.from = static_cast<double>(*from);
        axis.to = static_cast<double>(*to);
    }
    return placesOf(*mode, axis);
}

const std::string roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
                                 // before opset 11: floor, and ceil of what is made smaller
                                 "simple"};

Result<std::int64_t> roundingOf(NodeImport& n, const ResizeMode& how) {
    const auto* rounding = std::find(std::begin(roundings), std::end(roundings), how.nearest);
    if (rounding == std::end(roundings))
        return n.malformed("there is no nearest_mode '" + how.nearest + "'");
    return rounding - std::begin(roundings);
}

Status resizeWhileRunning(NodeImport& n, const ResizeMode& how, std::vector<std::size_t> axes,
                          std::optional<std::size_t> scales, std::optional<std::size_t> sizes,
                          std::optional<bool> oneScale = std::nullopt) {
    FW_TRY(const std::int64_t rounding, roundingOf(n, how));
    return resizeRunning(n,
                         {how.mode, how.coordinates, rounding, how.cubic, how.exclude, how.outside,
                          std::move(axes), oneScale, how.antialias},
                         scales, sizes);
}

Status resizeAxes(NodeImport& n, const ResizeMode& how, const std::vector<AxisPlan>& plans) {
    FW_TRY(const std::int64_t rounding, roundingOf(n, how));
    FW_TRY(ValueRef y, n.input(0));
    const Shape shape = n.type(y).shape;
    const bool crop = how.coordinates == "tf_crop_and_resize";
    std::vector<std::pair<Attrs, std::string>> steps;
    for (const AxisPlan& plan : plans) {
        FW_TRY(const AxisPlaces places, placesOf(n, how, plan, shape[plan.axis]));
        // One element stays what it is, wherever between the ends it is read.
        const bool isOne = plan.size.asInt() == 1 && shape[plan.axis].asInt() == 1 && !crop;
        if (isOne || (places.areAllThose() && plan.size == shape[plan.axis]))
            continue;
        Attrs attrs;
        attrs.set("axis", static_cast<std::int64_t>(plan.axis));
        attrs.set("size", shapeAttr({plan.size}));
        attrs.set("step", places.step);
        attrs.set("start", places.start);
        attrs.set("under", places.under);
        attrs.set("crop", std::int64_t{crop});
        attrs.set("outside", how.outside);
        if (how.mode == "nearest")
            attrs.set("rounding", rounding);
        const bool cubic = how.mode == "cubic";
        if (cubic)
            attrs.set("a", how.cubic);
        const double shrinks = plan.scale.under / plan.scale.over;
        const bool filtered = how.antialias && how.mode != "nearest" && shrinks > 1;
        if (cubic || filtered)
            attrs.set("exclude", std::int64_t{how.exclude});
        if (filtered) {
            if (shrinks > 1e4)
                return n.unsupported(fmt::format("antialias at a scale of {}", 1 / shrinks));
            attrs.set("scale", plan.scale.over / plan.scale.under);
            attrs.set("taps", static_cast<std::int64_t>(std::ceil((cubic ? 2 : 1) * shrinks)));
            attrs.set("cubic", std::int64_t{cubic});
        }
        steps.emplace_back(std::move(attrs), filtered ? "resize_filtered" : "resize_" + how.mode);
    }
    if (steps.empty())
        return n.result("identity", {y});
    if (steps.size() > 1)
        n.note("each axis is resized by an operator of its own");
    if (steps.size() > 1 && how.mode != "nearest") {
        n.computeWide();
        FW_TRY(y, n.input(0));
    }
    FW_TRY(const Interpolated whole, Interpolated::begin(n, how.mode, y));
    y = whole.from;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i + 1 == steps.size() && !whole.integer)
            return n.result(steps[i].second, {y}, std::move(steps[i].first));
        FW_TRY(y, n.step(steps[i].second, {y}, std::move(steps[i].first)));
    }
    return whole.end(n, y);
}

Status checkMode(NodeImport& n, std::string& mode) {
    if (mode == "bilinear")
        mode = "linear";
    if (mode != "nearest" && mode != "linear" && mode != "cubic")
        return n.malformed("there is no mode '" + mode + "'");
    return {};
}

Result<AxisPlan> scaledAxis(NodeImport& n, std::size_t axis, const Dim& extent, double given) {
    const auto scale = static_cast<float>(given);
    if (!(scale > 0) || !(scale < 1e6F))
        return n.malformed(fmt::format("a scale of {}", given));
    AxisPlan plan;
    plan.axis = axis;
    plan.scale = fractionOf(scale);
    if (const auto known = extent.asInt()) {
        const double length = scaledLength(*known, scale);
        if (length > 1e15)
            return makeDiag(DiagCode::DimOverflow, "Resize: the output is too large");
        plan.size = intExpr(static_cast<std::int64_t>(length));
        return plan;
    }
    const auto size = scaledDim(extent, scale);
    if (!size)
        return n.unsupported(fmt::format("a scale of {} over a free dimension", given),
                             "export the model with fixed image sizes");
    plan.size = *size;
    return plan;
}

std::optional<std::vector<double>> numbers(const NodeImport& n, std::size_t i) {
    const TensorData* data = n.computedConstant(i);
    if (data == nullptr || !isFloat(data->dtype()) || data->count() > smallTensorLimit)
        return std::nullopt;
    std::vector<double> out = data->toDoubles();
    if (data->dtype() == DType::F32)
        for (double& value : out)
            value = readableReal(static_cast<float>(value));
    return out;
}

bool isAbsent(const NodeImport& n, std::size_t i) {
    const TensorData* data = n.constant(i);
    return !n.has(i) || (data != nullptr && data->count() == 0);
}

// The scales of all axes, from an attribute (opset 7) or an operand.
Status scaleAll(NodeImport& n, ResizeMode how, const std::optional<std::vector<double>>& scales) {
    FW_TRY(const TensorType x, n.inputType(0));
    if (!scales) {
        std::vector<std::size_t> axes(x.rank());
        std::iota(axes.begin(), axes.end(), 0);
        return resizeWhileRunning(n, how, std::move(axes), 1, std::nullopt);
    }
    if (scales->size() != x.rank())
        return n.malformed(fmt::format("{} scales for {}", scales->size(), x.text()));
    std::vector<AxisPlan> plans;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        FW_TRY(AxisPlan plan, scaledAxis(n, axis, x.shape[axis], (*scales)[axis]));
        plans.push_back(std::move(plan));
    }
    return resizeAxes(n, how, plans);
}

// Before opset 11: places at o / scale.
Result<ResizeMode> oldMode(NodeImport& n) {
    ResizeMode how;
    FW_TRY(how.mode, n.text("mode", "nearest"));
    FW_CHECK(checkMode(n, how.mode));
    how.coordinates = "asymmetric";
    how.nearest = "simple";
    return how;
}

Status upsampleAttribute(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(ResizeMode how, oldMode(n));
    FW_TRY(const auto scales, n.reals("scales"));
    if (!scales)
        return n.malformed("has no scales");
    return scaleAll(n, how, scales);
}

Status upsample(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(ResizeMode how, oldMode(n));
    return scaleAll(n, how, numbers(n, 1));
}

// keep_aspect_ratio_policy (opset 18): one scale for all axes.
Status oneScale(NodeImport& n, const std::string& policy, const Shape& shape,
                std::vector<AxisPlan>& plans) {
    if (policy == "stretch" || plans.empty())
        return {};
    if (policy != "not_larger" && policy != "not_smaller")
        return n.malformed("there is no keep_aspect_ratio_policy '" + policy + "'");
    Fraction scale = plans.front().scale;
    for (const AxisPlan& plan : plans) {
        const bool smaller = plan.scale.over * scale.under < scale.over * plan.scale.under;
        if (smaller == (policy == "not_larger"))
            scale = plan.scale;
    }
    for (AxisPlan& plan : plans) {
        plan.scale = scale;
        const auto extent = static_cast<double>(*shape[plan.axis].asInt());
        plan.size = intExpr(static_cast<std::int64_t>(
            std::floor((2 * extent * scale.over + scale.under) / (2 * scale.under))));
    }
    return {};
}

// With sizes and scales that are known.
Status resizeKnown(NodeImport& n, const ResizeMode& how, const TensorType& x,
                   const std::vector<std::size_t>& axes, const std::string& policy) {
    std::vector<AxisPlan> plans;
    if (!isAbsent(n, 3)) {
        const auto sizes = n.shapeValues(3);
        if (!sizes)
            return n.unsupported("the sizes are computed at run time",
                                 "make them a constant of the model");
        if (sizes->size() != axes.size())
            return n.malformed(fmt::format("{} sizes for {} axes", sizes->size(), axes.size()));
        for (std::size_t i = 0; i < axes.size(); ++i) {
            AxisPlan plan;
            plan.axis = axes[i];
            plan.size = (*sizes)[i];
            const Dim& extent = x.shape[axes[i]];
            const auto from = extent.asInt(), to = plan.size.asInt();
            if (to && *to < 0)
                return n.malformed(fmt::format("a size of {}", *to));
            if (from && to && *from > 0) {
                if (*to > 0) // else there are no places
                    plan.scale = {static_cast<double>(*to), static_cast<double>(*from)};
            } else if (const auto factor = simplify(floorDivExpr(plan.size, extent)).asInt();
                       !(plan.size == extent) &&
                       !(factor && simplify(extent * Expr(*factor)) == plan.size)) {
                return n.unsupported(fmt::format("a size of {} for an extent of {}",
                                                 plan.size.text(), extent.text()),
                                     "export the model with fixed image sizes");
            } else if (!(plan.size == extent)) {
                plan.scale = {static_cast<double>(*factor), 1};
            }
            plans.push_back(std::move(plan));
        }
        if (policy != "stretch" && std::any_of(plans.begin(), plans.end(), [&](const auto& p) {
                return !p.size.asInt() || !x.shape[p.axis].asInt();
            }))
            return n.unsupported("keep_aspect_ratio_policy over a free dimension");
        FW_CHECK(oneScale(n, policy, x.shape, plans));
    } else {
        const auto scales = numbers(n, 2);
        if (!scales)
            return n.unsupported("the scales are computed at run time",
                                 "make them a constant of the model");
        if (scales->size() != axes.size())
            return n.malformed(fmt::format("{} scales for {} axes", scales->size(), axes.size()));
        for (std::size_t i = 0; i < axes.size(); ++i) {
            FW_TRY(AxisPlan plan, scaledAxis(n, axes[i], x.shape[axes[i]], (*scales)[i]));
            plans.push_back(std::move(plan));
        }
    }
    if (how.coordinates == "tf_crop_and_resize") {
        const auto roi = numbers(n, 1);
        if (!roi)
            return n.unsupported("the region is computed at run time",
                                 "make it a constant of the model");
        if (roi->size() != 2 * plans.size())
            return n.malformed(
                fmt::format("a region of {} numbers for {} axes", roi->size(), plans.size()));
        for (std::size_t i = 0; i < plans.size(); ++i) {
            plans[i].roiStart = fractionOf(static_cast<float>((*roi)[i]));
            plans[i].roiEnd = fractionOf(static_cast<float>((*roi)[plans.size() + i]));
        }
    }
    return resizeAxes(n, how, plans);
}

Status resize(NodeImport& n) {
    FW_CHECK(n.need(1, 4));
    ResizeMode how;
    FW_TRY(how.mode, n.text("mode", "nearest"));
    FW_CHECK(checkMode(n, how.mode));
    FW_TRY(how.coordinates, n.text("coordinate_transformation_mode", "half_pixel"));
    FW_TRY(how.nearest, n.text("nearest_mode", "round_prefer_floor"));
    FW_TRY(how.cubic, n.real("cubic_coeff_a", -0.75));
    FW_TRY(how.exclude, n.flag("exclude_outside", false));
    FW_TRY(how.outside, n.real("extrapolation_value", 0));
    FW_TRY(how.antialias, n.flag("antialias", false));
    FW_TRY(const std::string policy, n.text("keep_aspect_ratio_policy", "stretch"));
    FW_TRY(const auto givenAxes, n.list("axes"));
    FW_TRY(const TensorType x, n.inputType(0));
    std::vector<std::size_t> axes;
    if (givenAxes) {
        for (const std::int64_t where : *givenAxes) {
            FW_TRY(const std::size_t axis, n.axis(where, x.rank()));
            if (std::find(axes.begin(), axes.end(), axis) != axes.end())
                return n.malformed("an axis is named twice");
            axes.push_back(axis);
        }
    } else {
        for (std::size_t axis = 0; axis < x.rank(); ++axis)
            axes.push_back(axis);
    }
    Status known = resizeKnown(n, how, x, axes, policy);
    if (known || known.diag().code != DiagCode::UnsupportedAttribute)
        return known;
    if (isAbsent(n, 3))
        return resizeWhileRunning(n, how, std::move(axes), 2, std::nullopt);
    return resizeWhileRunning(n, how, std::move(axes), std::nullopt, 3,
                              policy == "stretch" ? std::nullopt
                                                  : std::optional(policy == "not_smaller"));
}

} // namespace

std::span<const ImporterRow> resampleImporters() {
    static constexpr ImporterRow rows[] = {
        {"Upsample", 7, upsampleAttribute},
        {"Upsample", 9, upsample},
        {"Resize", 10, upsample},
        {"Resize", 11, resize},
    };
    return rows;
}

} // namespace fw
