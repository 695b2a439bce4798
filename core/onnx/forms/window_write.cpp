// Contractions and pools. A bias that directly follows goes back into the operator.
#include "onnx/forms/window_geometry.h"
#include "onnx/model/constant_layout.h"
#include "onnx/write/graph_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fw {

namespace {

Result<Integers> kernelShape(GraphWriter& out, const Node& node) {
    const Shape& w = out.graph().type(node.inputs.at(1)).shape;
    Integers kernel;
    for (std::size_t i = 2; i < w.size(); ++i) {
        const auto extent = w[i].asInt();
        if (!extent)
            return makeDiag(DiagCode::UnsupportedAttribute, "the kernel has a free dimension");
        kernel.push_back(*extent);
    }
    return kernel;
}

// Geometry of an operator for images, or of one for any number of axes.
struct Geometry {
    Integers strides, pads, dilations;
    Exprs computed = {}; // pads that depend on free dimensions; `pads` has zeros then
};

Geometry geometryOf(const Node& node) {
    Geometry out{
        node.attrs.integers("strides", {1, 1}), {}, node.attrs.integers("dilations", {1, 1})};
    Exprs pads;
    for (const char* name : {"pads", "before", "behind"}) {
        const Exprs some = dimsOf(node, name);
        pads.insert(pads.end(), some.begin(), some.end());
    }
    if (pads.empty())
        pads.assign(2 * out.strides.size(), Expr(0));
    for (const Expr& pad : pads)
        out.pads.push_back(pad.asInt().value_or(0));
    if (std::any_of(pads.begin(), pads.end(), [](const Expr& pad) { return !pad.asInt(); })) {
        out.computed = std::move(pads);
        out.pads.assign(out.pads.size(), 0);
    }
    return out;
}

// The word of ONNX for pads that depend on sizes, if there is one. Programs refuse it of dilated
// convolutions, so it is not said of those.
std::string automaticPads(GraphWriter& out, const Node& node, const Geometry& geometry,
                          const Integers& kernel) {
    const Shape& shape = out.graph().type(node.inputs.at(0)).shape;
    if (geometry.computed.empty() || shape.size() != kernel.size() + 2 ||
        std::any_of(geometry.dilations.begin(), geometry.dilations.end(),
                    [](std::int64_t dilation) { return dilation != 1; }))
        return {};
    for (const bool oddAtEnd : {true, false})
        if (geometry.computed == samePads(std::span(shape).subspan(2), kernel, geometry.strides,
                                          geometry.dilations, oddAtEnd))
            return oddAtEnd ? "SAME_UPPER" : "SAME_LOWER";
    return {};
}

// Those, or what is left of the pads.
void setPads(proto::NodeProto& node, const std::string& automatic, const Integers& pads) {
    if (automatic.empty())
        setAttribute(node, "pads", pads);
    else
        setAttribute(node, "auto_pad", automatic);
}

// What lies in pads, so that no window sees them.
enum class Around : std::uint8_t { Zeros, Least };

double valueOf(Around around, DType dtype) {
    const Expr least = reducerIdentity(Reducer::Max, dtype);
    return around == Around::Zeros ? 0
           : least.asInt()         ? static_cast<double>(*least.asInt())
                                   : least->real;
}

// The first operand. Pads of ONNX are not negative: what they cut off is cut off before, and
// `geometry` has what is left of them. Nor do they depend on sizes: such are put around before.
Result<std::string> padded(GraphWriter& out, const Node& node, Geometry& geometry,
                           Around around = Around::Zeros) {
    const std::string whole = out.use(node.inputs.at(0));
    const auto isNegative = [](std::int64_t amount) { return amount < 0; };
    const std::size_t axes = geometry.pads.size() / 2;
    Exprs amounts(2 * (axes + 2), Expr(0)); // before every axis, then behind
    const auto placeOf = [&](std::size_t i) { return i < axes ? i + 2 : i + 4; };
    if (!geometry.computed.empty()) {
        const std::string part = out.fresh(node.name + ".padded");
        for (std::size_t i = 0; i < geometry.computed.size(); ++i)
            amounts[placeOf(i)] = geometry.computed[i];
        const DType dtype = out.graph().type(node.inputs[0]).dtype;
        FW_TRY(const std::string pads, out.dims(part + ".pads", amounts));
        const std::string value =
            out.initializer(part + ".value", dataFromDoubles(dtype, {}, {valueOf(around, dtype)}));
        out.node("Pad", {whole, pads, value}, part, out.fresh(part + ".pad"));
        return part;
    }
    if (std::none_of(geometry.pads.begin(), geometry.pads.end(), isNegative))
        return whole;
    const Shape& shape = out.graph().type(node.inputs[0]).shape;
    for (std::size_t i = 0; i < geometry.pads.size(); ++i) {
        std::int64_t cut = std::max<std::int64_t>(-geometry.pads[i], 0);
        geometry.pads[i] = std::max<std::int64_t>(geometry.pads[i], 0);
        // What is more than there is comes off what is put around at the other end.
        if (const auto extent = shape.at(i % axes + 2).asInt(); extent && cut > *extent) {
            geometry.pads[(i + axes) % geometry.pads.size()] -= cut - *extent;
            cut = *extent;
        }
        amounts[placeOf(i)] = Expr(-cut);
    }
    const std::string part = out.fresh(node.name + ".cropped");
    FW_TRY(const std::string pads, out.dims(part + ".pads", amounts));
    out.node("Pad", {whole, pads}, part, out.fresh(part + ".pad"));
    return part;
}

Diag padsDependOnSizes(const char* what) {
    return makeDiag(DiagCode::UnsupportedAttribute,
                    fmt::format("ONNX has no pads of {} that depend on sizes", what), {},
                    "bind the free dimensions (--dim)");
}

Status noneComputed(const Geometry& geometry, const char* what) {
    if (!geometry.computed.empty())
        return padsDependOnSizes(what);
    return {};
}

Status noneNegative(const Integers& pads, const char* what) {
    if (std::any_of(pads.begin(), pads.end(), [](std::int64_t amount) { return amount < 0; }))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("ONNX has no negative pads of {}", what));
    return {};
}

Status slides(GraphWriter& out, const Node& node) {
    if (out.graph().type(node.inputs.at(0)).rank() < 3)
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "windows of ONNX slide along one axis at least");
    return {};
}

Status convolution(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    FW_TRY(const Integers kernel, kernelShape(out, node));
    const bool transposed = node.op == "conv_transpose2d" || node.op == "conv_transpose";
    Geometry geometry = geometryOf(node);
    if (transposed)
        FW_CHECK(noneNegative(geometry.pads, "a transposed convolution"));
    const Node* bias = out.foldedBias(node, 1);
    if (transposed)
        FW_CHECK(noneComputed(geometry, "a transposed convolution"));
    const std::string automatic = automaticPads(out, node, geometry, kernel);
    std::string operand = out.use(node.inputs[0]);
    if (automatic.empty()) {
        FW_TRY(operand, padded(out, node, geometry));
    }
    std::vector<std::string> inputs{operand, out.use(node.inputs[1])};
    if (bias)
        inputs.push_back(out.use(bias->inputs[1]));
    auto& written = out.main(bias ? *bias : node, transposed ? "ConvTranspose" : "Conv", inputs);
    setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "group", node.attrs.integer("groups", 1));
    setAttribute(written, "kernel_shape", kernel);
    if (transposed)
        setAttribute(written, "output_padding", node.attrs.integers("output_padding", {0, 0}));
    setPads(written, automatic, geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

// Of eight bits. What lies around is the zero point of the data.
Status integerConvolution(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    FW_TRY(const Integers kernel, kernelShape(out, node));
    const Geometry geometry = geometryOf(node);
    FW_CHECK(noneNegative(geometry.pads, "a convolution of eight bits"));
    const std::string automatic = automaticPads(out, node, geometry, kernel);
    if (automatic.empty())
        FW_CHECK(noneComputed(geometry, "a convolution of eight bits"));
    std::vector<std::string> inputs;
    for (const ValueRef& input : node.inputs)
        inputs.push_back(out.use(input));
    auto& written = out.main(node, "ConvInteger", inputs);
    setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "group", node.attrs.integer("groups", 1));
    setAttribute(written, "kernel_shape", kernel);
    setPads(written, automatic, geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

Status dense(GraphWriter& out, const Node& node) {
    const Graph& graph = out.graph();
    if (graph.type(node.inputs[0]).rank() == 2) {
        const Node* bias = out.foldedBias(node, 1);
        std::vector<std::string> inputs{out.use(node.inputs[0]), out.use(node.inputs[1])};
        if (bias)
            inputs.push_back(out.use(bias->inputs[1]));
        setAttribute(out.main(bias ? *bias : node, "Gemm", inputs), "transB", std::int64_t{1});
        return {};
    }
    std::string weights;
    if (const TensorData* data = graph.constant(node.inputs[1])) {
        FW_TRY(const auto transposed, transposedConstant(*data));
        weights = out.initializer(out.nameOf(node.inputs[1]) + ".T", transposed);
    } else {
        weights = out.fresh(node.name + ".weights");
        setAttribute(out.node("Transpose", {out.use(node.inputs[1])}, weights,
                              out.fresh(weights + ".transpose")),
                     "perm", Integers{1, 0});
    }
    out.main(node, "MatMul", {out.use(node.inputs[0]), weights});
    return {};
}

Status maxPool(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    const bool places = node.op == "max_pool2d_places" || node.op == "max_pool3d_places";
    Geometry geometry = geometryOf(node);
    if (places)
        FW_CHECK(noneNegative(geometry.pads, "a pool that gives places"));
    if (places)
        FW_CHECK(noneComputed(geometry, "a pool that gives places"));
    const std::string automatic =
        places ? "" : automaticPads(out, node, geometry, node.attrs.integers("kernel_shape"));
    std::string operand = out.use(node.inputs[0]);
    if (automatic.empty()) {
        FW_TRY(operand, padded(out, node, geometry, Around::Least));
    }
    const std::string largest = places ? out.fresh(node.name + ".largest") : "";
    auto& written = places ? out.node("MaxPool", {operand}, largest, node.name)
                           : out.main(node, "MaxPool", {operand});
    if (places) {
        written.add_output(out.nameOf({node.id, 0}));
        setAttribute(written, "storage_order", node.attrs.integer("by_columns", 0));
    }
    setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setPads(written, automatic, geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

Status avgPoolAnyAxes(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    Geometry geometry = geometryOf(node);
    const std::string automatic =
        automaticPads(out, node, geometry, node.attrs.integers("kernel_shape"));
    if (automatic.empty())
        FW_CHECK(noneComputed(geometry, "a mean"));
    Exprs counts = dimsOf(node, "count_before");
    const Exprs behind = dimsOf(node, "count_behind");
    counts.insert(counts.end(), behind.begin(), behind.end());
    const auto fixed = fixedExtents(counts);
    if (!fixed)
        return padsDependOnSizes("a mean that counts them");
    const Integers counted = *fixed;
    const Integers none(counted.size(), 0);
    if (counted != none)
        FW_CHECK(noneComputed(geometry, "a mean that counts others"));
    const bool partial = counted != none && counted != geometry.pads;
    const bool dilated = geometry.dilations != Integers(geometry.dilations.size(), 1);
    if (counted != none)
        FW_CHECK(noneNegative(geometry.pads, "a mean that counts them"));
    std::string operand = out.use(node.inputs[0]);
    if (automatic.empty()) {
        FW_TRY(operand, padded(out, node, geometry));
    }
    auto& written = out.main(node, "AveragePool", {operand});
    if (partial)
        setAttribute(written, "ceil_mode", std::int64_t{1});
    setAttribute(written, "count_include_pad", std::int64_t{counted == none ? 0 : 1});
    if (dilated)
        setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setPads(written, automatic, partial ? counted : geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

// `counted` is what the divisor counts of the pads: none, all, or (ceil_mode) all but a rest at the
// end.
Status avgPool(GraphWriter& out, const Node& node) {
    const Integers none{0, 0, 0, 0};
    Geometry geometry = geometryOf(node);
    const std::string automatic =
        automaticPads(out, node, geometry, node.attrs.integers("kernel_shape"));
    if (automatic.empty())
        FW_CHECK(noneComputed(geometry, "a mean"));
    const Integers pads = geometry.pads;
    const Exprs counts = dimsOf(node, "counted");
    const bool countsAll = !geometry.computed.empty() && counts == geometry.computed;
    if (!countsAll && !fixedExtents(counts))
        return padsDependOnSizes("a mean that counts others");
    const Integers counted = node.attrs.integers("counted", none);
    if (counted != none)
        FW_CHECK(noneComputed(geometry, "a mean that counts others"));
    const bool partial = counted != none && counted != pads;
    if (partial && (counted[0] != pads[0] || counted[1] != pads[1]))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "ONNX counts either all pads at the beginning or none");
    if (counted != none)
        FW_CHECK(noneNegative(pads, "a mean that counts them"));
    std::string operand = out.use(node.inputs[0]);
    if (automatic.empty()) {
        FW_TRY(operand, padded(out, node, geometry));
    }
    auto& written = out.main(node, "AveragePool", {operand});
    if (partial)
        setAttribute(written, "ceil_mode", std::int64_t{1});
    setAttribute(written, "count_include_pad", std::int64_t{counted == none && !countsAll ? 0 : 1});
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setPads(written, automatic, partial ? counted : geometry.pads);
    setAttribute(written, "strides", node.attrs.integers("strides", {1, 1}));
    return {};
}

Status lpPool(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    const double p = node.attrs.real("p", 2);
    if (p != std::floor(p))
        return makeDiag(DiagCode::UnsupportedAttribute, "p of a LpPool is an integer");
    Geometry geometry = geometryOf(node);
    FW_TRY(const std::string operand, padded(out, node, geometry));
    auto& written = out.main(node, "LpPool", {operand});
    setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setAttribute(written, "p", static_cast<std::int64_t>(p));
    setAttribute(written, "pads", geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

} // namespace

std::span<const WriterRow> windowWriters() {
    static constexpr std::array rows{
        WriterRow{"conv2d", convolution},
        WriterRow{"conv_transpose2d", convolution},
        WriterRow{"conv", convolution},
        WriterRow{"conv_transpose", convolution},
        WriterRow{"conv2d_integer", integerConvolution},
        WriterRow{"conv_integer", integerConvolution},
        WriterRow{"dense", dense},
        WriterRow{"max_pool2d", maxPool},
        WriterRow{"max_pool2d_places", maxPool},
        WriterRow{"max_pool3d_places", maxPool},
        WriterRow{"max_pool", maxPool},
        WriterRow{"avg_pool2d", avgPool},
        WriterRow{"avg_pool", avgPoolAnyAxes, 19},
        WriterRow{"lp_pool", lpPool, 18},
    };
    return rows;
}

} // namespace fw
