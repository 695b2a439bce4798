#include "onnx/forms/window_geometry.h"

#include "expr/simplify.h"

#include <fmt/format.h>

namespace fw {

namespace {

constexpr std::int64_t largest =
    1 << 24; // of a kernel extent, stride, pad or dilation: keeps products far from 2^63

Status checkRange(NodeImport& n, std::string_view name, const Integers& values,
                  std::int64_t least) {
    for (const std::int64_t value : values)
        if (value < least || value > largest)
            return n.malformed(
                fmt::format("{} {} is outside {} to {}", name, value, least, largest));
    return {};
}

// One value per spatial axis (twice for pads); one axis is stretched to two.
Result<Integers> spatial(NodeImport& n, std::string_view name, std::size_t axes,
                         std::size_t perAxis, std::int64_t neutral, std::int64_t least) {
    FW_TRY(const auto given, n.list(name));
    Integers values = given.value_or(Integers(axes * perAxis, neutral));
    if (values.size() != axes * perAxis)
        return n.malformed(
            fmt::format("{} has {} values, {} are needed", name, values.size(), axes * perAxis));
    FW_CHECK(checkRange(n, name, values, least));
    if (axes == 1)
        for (std::size_t i = 0; i < perAxis; ++i)
            values.insert(values.begin() + static_cast<std::ptrdiff_t>(2 * i), neutral);
    return values;
}

// A window that does not fit once leaves an empty result, as ONNX counts; one that is longer still
// would leave fewer than none.
Status checkWindows(NodeImport& n, const Shape& x, const WindowGeometry& g) {
    const proto::AttributeProto* ceil = findAttribute(n.node(), "ceil_mode"); // read by the caller
    for (std::size_t i = 0; i < g.axes(); ++i) {
        const std::size_t axis = g.oneAxis ? 2 : 2 + i;
        const auto extent = x[axis].asInt();
        const auto pads = simplify(g.pads[i] + g.pads[g.axes() + i]).asInt();
        if ((g.oneAxis && i == 0) || !extent || *extent < 1 || !pads)
            continue;
        const std::int64_t left = *extent + *pads - g.reach(i), stride = g.strides[i];
        const bool isWhole = left % stride == 0 || (ceil != nullptr && ceil->i() != 0);
        const std::int64_t places = left >= 0 ? 1 : left / stride + (isWhole ? 1 : 0);
        if (places >= 1)
            continue;
        const std::string what =
            fmt::format("a window of {} does not fit into the {} elements of axis {} of {}{}",
                        g.reach(i), *extent + *pads, axis, n.operandName(0),
                        *pads == 0 ? std::string() : fmt::format(" (with {} of pads)", *pads));
        if (places < 0)
            return makeDiag(DiagCode::ShapeMismatch, what);
        n.warn(what + ": the result is empty");
    }
    return {};
}

} // namespace

Exprs samePads(std::span<const Dim> extents, const Integers& kernel, const Integers& strides,
               const Integers& dilations, bool oddAtEnd) {
    const std::size_t axes = kernel.size();
    Exprs out(2 * axes, Expr(0));
    for (std::size_t i = 0; i < axes; ++i) {
        const Expr stride(strides[i]), reach((kernel[i] - 1) * dilations[i] + 1);
        Expr total = reach - Expr(1);
        if (strides[i] != 1)
            total = maxExpr(
                (ceilDivExpr(extents[i], stride) - Expr(1)) * stride + reach - extents[i], Expr(0));
        total = simplify(total);
        const Expr small = simplify(floorDivExpr(total, Expr(2)));
        out[i] = oddAtEnd ? small : simplify(total - small);
        out[axes + i] = simplify(total - out[i]);
    }
    return out;
}

Attrs WindowGeometry::attrs() const {
    Attrs out;
    out.set("strides", strides);
    if (isImage()) {
        out.set("pads", shapeAttr(pads));
    } else {
        out.set("before", shapeAttr(before()));
        out.set("behind", shapeAttr(behind()));
    }
    out.set("dilations", dilations);
    return out;
}

Result<WindowGeometry> windowGeometry(NodeImport& n, const Shape& x, const Integers& kernel,
                                      PadRule rule) {
    WindowGeometry g;
    if (x.size() < 3)
        return n.malformed(fmt::format("its operand has rank {}, at least 3 is needed", x.size()));
    const std::size_t axes = x.size() - 2;
    g.oneAxis = axes == 1;
    FW_TRY(const auto shape, n.list("kernel_shape"));
    g.kernel = shape.value_or(kernel);
    if (g.kernel.size() != axes)
        return n.malformed(
            fmt::format("kernel_shape has {} values, {} are needed", g.kernel.size(), axes));
    if (!kernel.empty() && g.kernel != kernel)
        return n.malformed(fmt::format("kernel_shape [{}] contradicts the weights [{}]",
                                       fmt::join(g.kernel, ", "), fmt::join(kernel, ", ")));
    FW_CHECK(checkRange(n, "kernel_shape", g.kernel, 1));
    if (axes == 1)
        g.kernel.insert(g.kernel.begin(), 1);
    FW_TRY(g.strides, spatial(n, "strides", axes, 1, 1, 1));
    FW_TRY(g.dilations, spatial(n, "dilations", axes, 1, 1, 1));
    FW_TRY(const Integers pads, spatial(n, "pads", axes, 2, 0, 0));
    g.pads.assign(pads.begin(), pads.end());
    FW_TRY(const std::string automatic, n.text("auto_pad", "NOTSET"));
    if (automatic == "VALID")
        g.pads = Exprs(2 * g.axes(), Expr(0));
    else if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        const Shape view = g.oneAxis ? withHeight(x) : x;
        if (rule == PadRule::Forward)
            g.pads = samePads(std::span(view).subspan(2), g.kernel, g.strides, g.dilations,
                              automatic == "SAME_UPPER");
    } else if (automatic != "NOTSET" && !automatic.empty())
        return n.malformed("auto_pad '" + automatic + "' does not exist");
    if (rule == PadRule::Forward)
        FW_CHECK(checkWindows(n, x, g));
    return g;
}

Shape withHeight(const Shape& shape) {
    Shape out = shape;
    out.insert(out.begin() + 2, intExpr(1));
    return out;
}

Shape withoutHeight(const Shape& shape) {
    Shape out = shape;
    out.erase(out.begin() + 2);
    return out;
}

} // namespace fw
