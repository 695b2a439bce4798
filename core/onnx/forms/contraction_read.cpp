// Convolutions. The normal form: no bias operand (a `bias` node follows).
#include "base/numbers.h"
#include "onnx/forms/window_geometry.h"
#include "onnx/read/importers.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

constexpr std::int64_t largestExtent = std::int64_t{1} << 60; // sums of a few stay countable

Result<Integers> kernelOf(NodeImport& n, const Shape& weights, std::size_t rank) {
    if (weights.size() != rank)
        return makeDiag(
            DiagCode::ShapeMismatch,
            fmt::format("the weights have rank {}, the data has rank {}", weights.size(), rank));
    Integers kernel;
    for (std::size_t i = 2; i < rank; ++i) {
        const auto extent = weights[i].asInt();
        if (!extent)
            return n.unsupported("the kernel has a free dimension");
        kernel.push_back(*extent);
    }
    return kernel;
}

// A view with a height of 1; constants are viewed without a node.
Result<ValueRef> operandWithHeight(NodeImport& n, std::size_t i, const std::string& suffix) {
    if (const TensorData* data = n.constant(i)) {
        auto extents = data->extents();
        extents.insert(extents.begin() + 2, 1);
        return n.addConstant(suffix, data->reshaped(std::move(extents)));
    }
    FW_TRY(const ValueRef value, n.input(i));
    return n.reshaped(value, withHeight(n.type(value).shape));
}

// The common end of Conv and ConvTranspose: the operator, the bias, the rank of the model.
Status finishConvolution(NodeImport& n, const std::string& op, const WindowGeometry& g,
                         const Attrs& attrs) {
    ValueRef x;
    ValueRef w;
    if (g.oneAxis) {
        FW_TRY(x, operandWithHeight(n, 0, "x"));
        FW_TRY(w, operandWithHeight(n, 1, "w"));
    } else {
        FW_TRY(x, n.input(0));
        FW_TRY(w, n.input(1));
    }
    if (!n.has(2) && !g.oneAxis)
        return n.result(op, {x, w}, attrs);
    FW_TRY(ValueRef y, n.step(op, {x, w}, attrs));
    Attrs axis;
    axis.set("axis", std::int64_t{1});
    if (n.has(2)) {
        FW_TRY(const ValueRef b, n.input(2));
        if (!g.oneAxis)
            return n.result("bias", {y, b}, axis);
        FW_TRY(y, n.step("bias", {y, b}, axis));
    }
    return n.resultReshaped(y, withoutHeight(n.type(y).shape));
}

Result<std::int64_t> groupsOf(NodeImport& n) {
    FW_TRY(const std::int64_t groups, n.integer("group", 1));
    if (groups < 1 || groups > (1 << 24))
        return n.malformed(fmt::format("group {} is not a positive number", groups));
    return groups;
}

Status conv(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    if (n.has(2))
        n.computeWide();
    FW_TRY(const TensorType x, n.inputType(0));
    FW_TRY(const TensorType w, n.inputType(1));
    FW_TRY(const Integers kernel, kernelOf(n, w.shape, x.rank()));
    FW_TRY(const WindowGeometry g, windowGeometry(n, x.shape, kernel));
    FW_TRY(const std::int64_t groups, groupsOf(n));
    const auto channels = x.shape[1].asInt(), read = w.shape[1].asInt(), made = w.shape[0].asInt();
    const std::string each = groups == 1 ? "" : fmt::format(" in each of {} groups", groups);
    if (channels && read && *channels != *read * groups)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} has {} channels and {} reads {}{}", n.operandName(0),
                                    *channels, n.operandName(1), *read, each));
    if (made && *made % groups != 0)
        return makeDiag(DiagCode::ShapeMismatch, fmt::format("{} makes {} channels in {} groups",
                                                             n.operandName(1), *made, groups));
    Attrs attrs = g.attrs();
    attrs.set("groups", groups);
    return finishConvolution(n, g.isImage() ? "conv2d" : "conv", g, attrs);
}

// pads from output_shape or SAME: total = stride (in - 1) + output_padding + reach - out
// A larger extent than the windows reach gets zeros behind.
Status transposedPads(NodeImport& n, const Shape& x, Integers& outputPadding, WindowGeometry& g) {
    FW_TRY(const std::string automatic, n.text("auto_pad", "NOTSET"));
    FW_TRY(const auto shape, n.list("output_shape"));
    const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    if (!shape && !same)
        return {};
    const Shape view = g.oneAxis ? withHeight(x) : x;
    Integers wanted;
    if (shape) {
        wanted = *shape;
        if (wanted.size() == x.size()) // some exporters write batch and channels too
            wanted.erase(wanted.begin(), wanted.begin() + 2);
        if (wanted.size() != x.size() - 2)
            return n.malformed("output_shape has the wrong number of values");
        if (g.oneAxis)
            wanted.insert(wanted.begin(), 1);
    }
    for (std::size_t i = 0; i < g.axes(); ++i) {
        std::int64_t total =
            g.reach(i) - g.strides[i] + outputPadding[i]; // of SAME, for any extent
        const auto extent = view[2 + i].asInt();
        const auto stretched = extent ? checkedMul(*extent, g.strides[i]) : std::nullopt;
        if (extent && (!stretched || *stretched > largestExtent))
            return makeDiag(DiagCode::DimOverflow, "ConvTranspose: the output is too large");
        if (shape) {
            if (!extent)
                return n.unsupported("output_shape over a free dimension",
                                     "bind it (--dim), or export the model with explicit pads");
            if (wanted[i] < 1 || wanted[i] > largestExtent)
                return n.malformed(fmt::format("an output extent of {}", wanted[i]));
            total += *stretched - wanted[i];
        }
        outputPadding[i] += std::max<std::int64_t>(0, -total);
        total = std::max<std::int64_t>(0, total);
        if (total > (1 << 24))
            return n.malformed(fmt::format("its output needs pads of {}", total));
        const std::int64_t before = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
        g.pads[i] = Expr(before);
        g.pads[g.axes() + i] = Expr(total - before);
    }
    return {};
}

Status convTranspose(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    if (n.has(2))
        n.computeWide();
    FW_TRY(const TensorType x, n.inputType(0));
    FW_TRY(const TensorType w, n.inputType(1));
    FW_TRY(const Integers kernel, kernelOf(n, w.shape, x.rank()));
    FW_TRY(WindowGeometry g, windowGeometry(n, x.shape, kernel, PadRule::Transposed));
    FW_TRY(const std::int64_t groups, groupsOf(n));
    FW_TRY(const auto given, n.list("output_padding"));
    Integers outputPadding = given.value_or(Integers(x.rank() - 2, 0));
    if (outputPadding.size() != x.rank() - 2)
        return n.malformed("output_padding has the wrong number of values");
    if (g.oneAxis)
        outputPadding.insert(outputPadding.begin(), 0);
    for (const std::int64_t padding : outputPadding)
        if (padding < 0 || padding > (1 << 24))
            return n.malformed(fmt::format("output_padding {} is out of range", padding));
    FW_CHECK(transposedPads(n, x.shape, outputPadding, g));
    Attrs attrs = g.attrs();
    attrs.set("output_padding", std::move(outputPadding));
    attrs.set("groups", groups);
    return finishConvolution(n, g.isImage() ? "conv_transpose2d" : "conv_transpose", g, attrs);
}

} // namespace

std::span<const ImporterRow> contractionImporters() {
    static constexpr ImporterRow rows[] = {
        {"Conv", 1, conv},
        {"ConvTranspose", 1, convTranspose},
    };
    return rows;
}

} // namespace fw
