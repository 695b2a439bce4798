// Pools. ceil_mode becomes pads at the end; they are not counted by an average pool, whatever it
// says of the model's own pads, so those go into `counted`.
#include "onnx/window_geometry.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

Status pool(NodeImport& n, const std::string& op, const WindowGeometry& g, Attrs attrs) {
    FW_TRY(ValueRef x, n.input(0));
    if (!g.oneAxis)
        return n.result(op, {x}, std::move(attrs));
    FW_TRY(x, n.reshaped(x, withHeight(n.type(x).shape)));
    FW_TRY(const ValueRef y, n.step(op, {x}, std::move(attrs)));
    return n.resultReshaped(y, withoutHeight(n.type(y).shape));
}

// The pads that a last, partial window needs. A window that would begin behind the data is left
// out.
Status ceilPads(NodeImport& n, const Shape& x, WindowGeometry& g) {
    FW_TRY(const bool ceilMode, n.flag("ceil_mode", false));
    if (!ceilMode)
        return {};
    const Shape view = g.oneAxis ? withHeight(x) : x;
    for (std::size_t i = 0; i < 2; ++i) {
        if (g.strides[i] == 1)
            continue;
        const auto extent = view[2 + i].asInt();
        if (!extent)
            return n.unsupported("ceil_mode over a free dimension",
                                 "export the model with explicit pads");
        const std::int64_t reach = (g.kernel[i] - 1) * g.dilations[i] + 1;
        const std::int64_t room = *extent + g.pads[i] + g.pads[2 + i] - reach;
        if (room < 0)
            continue; // inference says what does not fit
        std::int64_t steps = (room + g.strides[i] - 1) / g.strides[i];
        if (steps * g.strides[i] >= *extent + g.pads[i])
            --steps;
        g.pads[2 + i] += std::max<std::int64_t>(0, steps * g.strides[i] - room);
    }
    return {};
}

Status maxPool(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    if (n.outputUsed(1))
        return n.unsupported("its indices are used, which is not supported");
    FW_TRY(const TensorType x, n.inputType(0));
    FW_TRY(WindowGeometry g, windowGeometry(n, x.shape, {}));
    FW_CHECK(ceilPads(n, x.shape, g));
    Attrs attrs = g.attrs();
    attrs.set("kernel_shape", g.kernel);
    return pool(n, "max_pool2d", g, std::move(attrs));
}

Status averagePool(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const TensorType x, n.inputType(0));
    FW_TRY(WindowGeometry g, windowGeometry(n, x.shape, {}));
    if (g.dilations != Integers{1, 1})
        return n.unsupported("dilations are not supported");
    FW_TRY(const bool countsPads, n.flag("count_include_pad", false));
    const Integers counted = countsPads ? g.pads : Integers{0, 0, 0, 0};
    FW_CHECK(ceilPads(n, x.shape, g));
    Attrs attrs = g.attrs();
    attrs.erase("dilations");
    attrs.set("kernel_shape", g.kernel);
    attrs.set("counted", counted);
    return pool(n, "avg_pool2d", g, std::move(attrs));
}

Status globalPool(NodeImport& n, const std::string& op) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(ValueRef x, n.input(0));
    const Shape shape = n.type(x).shape;
    if (shape.size() < 3)
        return n.malformed(
            fmt::format("its operand has rank {}, at least 3 is needed", shape.size()));
    if (shape.size() == 4)
        return n.result(op, {x});
    // Any number of spatial axes is one long axis and one of extent 1.
    Dim spatial = intExpr(1);
    for (std::size_t i = 2; i < shape.size(); ++i)
        spatial = spatial * shape[i];
    FW_TRY(x, n.reshaped(x, {shape[0], shape[1], intExpr(1), spatial}));
    FW_TRY(const ValueRef y, n.step(op, {x}));
    Shape out(shape.size(), intExpr(1));
    out[0] = shape[0];
    out[1] = shape[1];
    return n.resultReshaped(y, out);
}

Status globalAveragePool(NodeImport& n) {
    return globalPool(n, "global_average_pool");
}

Status globalMaxPool(NodeImport& n) {
    return globalPool(n, "global_max_pool");
}

constexpr ImporterRow rows[] = {
    {"MaxPool", 1, maxPool},
    {"AveragePool", 1, averagePool},
    {"GlobalAveragePool", 1, globalAveragePool},
    {"GlobalMaxPool", 1, globalMaxPool},
};

} // namespace

std::span<const ImporterRow> windowImporters() {
    return rows;
}

} // namespace fw
