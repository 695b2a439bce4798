// Convolutions. The normal form: no bias operand (a `bias` node follows); of eight bits sums are
// i32, and what they are worth is quantized.
#include "base/numbers.h"
#include "onnx/forms/window_geometry.h"
#include "onnx/model/beyond_texts.h"
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

// What the filters, an operand, do to the data, another one.
struct Filtering {
    WindowGeometry geometry;
    Attrs attrs;

    const char* op() const { return geometry.isImage() ? "conv2d" : "conv"; }
};

Result<Filtering> filtering(NodeImport& n, std::size_t data, std::size_t weights) {
    FW_TRY(const TensorType x, n.inputType(data));
    FW_TRY(const TensorType w, n.inputType(weights));
    FW_TRY(const Integers kernel, kernelOf(n, w.shape, x.rank()));
    FW_TRY(WindowGeometry g, windowGeometry(n, x.shape, kernel));
    FW_TRY(const std::int64_t groups, groupsOf(n));
    const auto channels = x.shape[1].asInt(), read = w.shape[1].asInt(), made = w.shape[0].asInt();
    const std::string each = groups == 1 ? "" : fmt::format(" in each of {} groups", groups);
    if (channels && read && *channels != *read * groups)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} has {} channels and {} reads {}{}", n.operandName(data),
                                    *channels, n.operandName(weights), *read, each));
    if (made && *made % groups != 0)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} makes {} channels in {} groups", n.operandName(weights),
                                    *made, groups));
    Attrs attrs = g.attrs();
    attrs.set("groups", groups);
    return Filtering{std::move(g), std::move(attrs)};
}

Status conv(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    if (n.has(2))
        n.computeWide();
    FW_TRY(const Filtering conv, filtering(n, 0, 1));
    return finishConvolution(n, conv.op(), conv.geometry, conv.attrs);
}

// Of ONNX Runtime: a convolution, a term, and a function, whose numbers are a list.
Status fusedConv(NodeImport& n) {
    FW_CHECK(n.need(2, 4));
    n.computeWide();
    FW_TRY(const Filtering conv, filtering(n, 0, 1));
    const bool oneAxis = conv.geometry.oneAxis;
    FW_TRY(const ValueRef x, oneAxis ? operandWithHeight(n, 0, "x") : n.input(0));
    FW_TRY(const ValueRef w, oneAxis ? operandWithHeight(n, 1, "w") : n.input(1));
    FW_TRY(ValueRef y, n.step(conv.op(), {x, w}, conv.attrs));
    if (n.has(2)) {
        FW_TRY(const ValueRef b, n.input(2));
        Attrs axis;
        axis.set("axis", std::int64_t{1});
        FW_TRY(y, n.step("bias", {y, b}, axis));
    }
    if (oneAxis) {
        FW_TRY(y, n.reshaped(y, withoutHeight(n.type(y).shape)));
    }
    if (n.has(3)) {
        FW_TRY(const ValueRef z, n.input(3));
        FW_TRY(y, n.step("add", {y, z}));
    }
    FW_TRY(const std::string function, n.text("activation", ""));
    if (function.empty())
        return n.alias(0, y);
    FW_TRY(const auto given, n.reals("activation_params"));
    const Reals numbers = given.value_or(Reals());
    struct Row {
        std::string_view theirs;
        const char* ours;
        std::vector<const char*> attrs;
    };
    static const Row rows[] = {{"Relu", "relu", {}},
                               {"Sigmoid", "sigmoid", {}},
                               {"Tanh", "tanh", {}},
                               {"LeakyRelu", "leaky_relu", {"alpha"}},
                               {"Clip", "clip", {"min", "max"}},
                               {"HardSigmoid", "hard_sigmoid", {"alpha", "beta"}}};
    for (const Row& row : rows) {
        if (row.theirs != function)
            continue;
        if (numbers.size() != row.attrs.size())
            return n.malformed(fmt::format("{} takes {} activation_params, here are {}", function,
                                           row.attrs.size(), numbers.size()));
        Attrs attrs;
        for (std::size_t i = 0; i < numbers.size(); ++i)
            attrs.set(row.attrs[i], numbers[i]);
        return n.result(row.ours, {y}, std::move(attrs));
    }
    return n.unsupported(fmt::format("the activation '{}' is not known", function));
}

// A number, whatever the rank of the tensor that has it.
Result<ValueRef> numberOf(NodeImport& n, std::size_t i) {
    FW_TRY(const ValueRef value, n.input(i));
    if (const auto count = elementCount(n.type(value).shape).asInt(); count && *count != 1)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} is {}, which is not one number", n.operandName(i),
                                    n.type(value).text()));
    return n.type(value).rank() == 0 ? Result<ValueRef>(value) : n.reshaped(value, {});
}

// One number, or one for each of what the filters make.
Result<ValueRef> listOf(NodeImport& n, std::size_t i) {
    FW_TRY(const ValueRef value, n.input(i));
    if (n.type(value).rank() > 1)
        return makeDiag(
            DiagCode::ShapeMismatch,
            fmt::format("{} is {}, which is no list", n.operandName(i), n.type(value).text()));
    return n.type(value).rank() == 1 ? Result<ValueRef>(value) : n.reshaped(value, {Dim(1)});
}

struct ZeroPoints {
    std::size_t data, weights; // operands; 0 is taken where one is absent
};

// Sums in i32 of eight bits, less their zero points: with a height where the data has none.
Result<ValueRef> integerSums(NodeImport& n, const Filtering& conv, std::size_t data,
                             std::size_t weights, const ZeroPoints& zeros) {
    const bool oneAxis = conv.geometry.oneAxis;
    FW_TRY(const ValueRef x, oneAxis ? operandWithHeight(n, data, "x") : n.input(data));
    FW_TRY(const ValueRef w, oneAxis ? operandWithHeight(n, weights, "w") : n.input(weights));
    FW_TRY(const ValueRef ofData,
           n.has(zeros.data) ? numberOf(n, zeros.data)
                             : Result<ValueRef>(n.scalarConstant("zero", 0, n.type(x).dtype)));
    FW_TRY(const ValueRef ofWeights,
           n.has(zeros.weights) ? listOf(n, zeros.weights)
                                : Result<ValueRef>(n.addConstant(
                                      "zeros", dataFromDoubles(n.type(w).dtype, {1}, {0}))));
    return n.step(std::string(conv.op()) + "_integer", {x, w, ofData, ofWeights}, conv.attrs);
}

Status convInteger(NodeImport& n) {
    FW_CHECK(n.need(2, 4));
    FW_TRY(const Filtering conv, filtering(n, 0, 1));
    FW_TRY(const ValueRef y, integerSums(n, conv, 0, 1, {2, 3}));
    if (!conv.geometry.oneAxis)
        return n.alias(0, y);
    return n.resultReshaped(y, withoutHeight(n.type(y).shape));
}

// Operands: x, its scale and zero point, w, its own, those of the result, and a term.
Status qlinearConv(NodeImport& n) {
    FW_CHECK(n.need(8, 9));
    if (!n.node().domain().empty()) {
        FW_TRY(const bool last, n.flag("channels_last", false));
        if (last)
            return n.unsupported("channels are read as the second axis");
    }
    FW_TRY(const Filtering conv, filtering(n, 0, 3));
    FW_TRY(ValueRef y, integerSums(n, conv, 0, 3, {2, 5}));
    if (n.has(8)) {
        Attrs axis;
        axis.set("axis", std::int64_t{1});
        FW_TRY(const ValueRef b, n.input(8));
        FW_TRY(y, n.step("bias", {y, b}, axis));
    }
    FW_TRY(const ValueRef ofX, numberOf(n, 1));
    FW_TRY(ValueRef ofW, listOf(n, 4));
    Shape column{n.type(ofW).shape[0]};
    column.resize(conv.geometry.axes() + 1, Dim(1));
    FW_TRY(ofW, n.reshaped(ofW, column));
    FW_TRY(const ValueRef ofY, numberOf(n, 6));
    FW_TRY(const ValueRef zero, numberOf(n, 7));
    FW_TRY(const ValueRef factor, n.step("mul", {ofX, ofW}));
    FW_TRY(const ValueRef scale, n.step("div", {factor, ofY}));
    Attrs real;
    real.set("to", DType::F32);
    FW_TRY(y, n.step("cast", {y}, real));
    FW_TRY(y, n.step("mul", {y, scale}));
    const ValueRef one = n.scalarConstant("one", 1, DType::F32);
    if (!conv.geometry.oneAxis)
        return n.result("quantize", {y, one, zero});
    FW_TRY(y, n.step("quantize", {y, one, zero}));
    return n.resultReshaped(y, withoutHeight(n.type(y).shape));
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
        {"FusedConv", 1, fusedConv, contribDomain},
        {"ConvInteger", 10, convInteger},
        {"QLinearConv", 10, qlinearConv},
        {"QLinearConv", 1, qlinearConv, contribDomain},
    };
    return rows;
}

} // namespace fw
