#include "onnx/window_geometry.h"

#include <algorithm>
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

// Output extent ceil(in / stride): the padding that this needs, the odd one at the end or the
// beginning.
Status padSame(NodeImport& n, const Shape& x, WindowGeometry& g, bool oddAtEnd) {
    const Shape view = g.oneAxis ? withHeight(x) : x;
    for (std::size_t i = 0; i < g.axes(); ++i) {
        const std::int64_t reach = (g.kernel[i] - 1) * g.dilations[i] + 1;
        std::int64_t total = reach - 1;
        if (g.strides[i] != 1) {
            const auto extent = view[2 + i].asInt();
            if (!extent)
                return n.unsupported("auto_pad over a free dimension with a stride",
                                     "export the model with explicit pads");
            const std::int64_t out = (*extent + g.strides[i] - 1) / g.strides[i];
            total = std::max<std::int64_t>(0, (out - 1) * g.strides[i] + reach - *extent);
        }
        const std::int64_t small = total / 2;
        g.pads[i] = oddAtEnd ? small : total - small;
        g.pads[g.axes() + i] = total - g.pads[i];
    }
    return {};
}

} // namespace

Attrs WindowGeometry::attrs() const {
    Attrs out;
    out.set("strides", strides);
    if (isImage()) {
        out.set("pads", pads);
    } else {
        out.set("before", before());
        out.set("behind", behind());
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
    FW_TRY(g.pads, spatial(n, "pads", axes, 2, 0, 0));
    FW_TRY(const std::string automatic, n.text("auto_pad", "NOTSET"));
    if (automatic == "VALID")
        g.pads = Integers(2 * g.axes(), 0);
    else if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        if (rule == PadRule::Forward)
            FW_CHECK(padSame(n, x, g, automatic == "SAME_UPPER"));
    } else if (automatic != "NOTSET" && !automatic.empty())
        return n.malformed("auto_pad '" + automatic + "' does not exist");
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
