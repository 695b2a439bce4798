// Contractions and pools. A bias that directly follows goes back into the operator.
#include "onnx/constant_layout.h"
#include "onnx/graph_writer.h"

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
};

Geometry geometryOf(const Node& node) {
    Geometry out{node.attrs.integers("strides", {1, 1}), node.attrs.integers("pads", {0, 0, 0, 0}),
                 node.attrs.integers("dilations", {1, 1})};
    if (node.attrs.has("before")) {
        out.pads = node.attrs.integers("before");
        const Integers behind = node.attrs.integers("behind");
        out.pads.insert(out.pads.end(), behind.begin(), behind.end());
    }
    return out;
}

// The first operand. Pads of ONNX are not negative: what they cut off is cut off before, and
// `geometry` has what is left of them.
std::string cropped(GraphWriter& out, const Node& node, Geometry& geometry) {
    const std::string whole = out.use(node.inputs.at(0));
    const auto isNegative = [](std::int64_t amount) { return amount < 0; };
    if (std::none_of(geometry.pads.begin(), geometry.pads.end(), isNegative))
        return whole;
    const std::size_t axes = geometry.pads.size() / 2;
    Integers amounts(2 * (axes + 2), 0); // before every axis, then behind
    for (std::size_t i = 0; i < geometry.pads.size(); ++i) {
        amounts[i < axes ? i + 2 : i + 4] = std::min<std::int64_t>(geometry.pads[i], 0);
        geometry.pads[i] = std::max<std::int64_t>(geometry.pads[i], 0);
    }
    const std::string part = out.fresh(node.name + ".cropped");
    out.node("Pad", {whole, out.integers(part + ".pads", amounts)}, part, out.fresh(part + ".pad"));
    return part;
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
    std::vector<std::string> inputs{cropped(out, node, geometry), out.use(node.inputs[1])};
    if (bias)
        inputs.push_back(out.use(bias->inputs[1]));
    auto& written = out.main(bias ? *bias : node, transposed ? "ConvTranspose" : "Conv", inputs);
    setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "group", node.attrs.integer("groups", 1));
    setAttribute(written, "kernel_shape", kernel);
    if (transposed)
        setAttribute(written, "output_padding", node.attrs.integers("output_padding", {0, 0}));
    setAttribute(written, "pads", geometry.pads);
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
    const std::string operand = cropped(out, node, geometry);
    const std::string largest = places ? out.fresh(node.name + ".largest") : "";
    auto& written = places ? out.node("MaxPool", {operand}, largest, node.name)
                           : out.main(node, "MaxPool", {operand});
    if (places) {
        written.add_output(out.nameOf({node.id, 0}));
        setAttribute(written, "storage_order", node.attrs.integer("by_columns", 0));
    }
    setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setAttribute(written, "pads", geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

Status avgPoolAnyAxes(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    Geometry geometry = geometryOf(node);
    Integers counted = node.attrs.integers("count_before");
    const Integers behind = node.attrs.integers("count_behind");
    counted.insert(counted.end(), behind.begin(), behind.end());
    const Integers none(counted.size(), 0);
    const bool partial = counted != none && counted != geometry.pads;
    const bool dilated = geometry.dilations != Integers(geometry.dilations.size(), 1);
    if (counted != none)
        FW_CHECK(noneNegative(geometry.pads, "a mean that counts them"));
    auto& written = out.main(node, "AveragePool", {cropped(out, node, geometry)});
    if (partial)
        setAttribute(written, "ceil_mode", std::int64_t{1});
    setAttribute(written, "count_include_pad", std::int64_t{counted == none ? 0 : 1});
    if (dilated)
        setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setAttribute(written, "pads", partial ? counted : geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

// `counted` is what the divisor counts of the pads: none, all, or (ceil_mode) all but a rest at the
// end.
Status avgPool(GraphWriter& out, const Node& node) {
    const Integers none{0, 0, 0, 0};
    Geometry geometry = geometryOf(node);
    const Integers pads = geometry.pads;
    const Integers counted = node.attrs.integers("counted", none);
    const bool partial = counted != none && counted != pads;
    if (partial && (counted[0] != pads[0] || counted[1] != pads[1]))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "ONNX counts either all pads at the beginning or none");
    if (counted != none)
        FW_CHECK(noneNegative(pads, "a mean that counts them"));
    auto& written = out.main(node, "AveragePool", {cropped(out, node, geometry)});
    if (partial)
        setAttribute(written, "ceil_mode", std::int64_t{1});
    setAttribute(written, "count_include_pad", std::int64_t{counted == none ? 0 : 1});
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setAttribute(written, "pads", partial ? counted : geometry.pads);
    setAttribute(written, "strides", node.attrs.integers("strides", {1, 1}));
    return {};
}

Status lpPool(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    const double p = node.attrs.real("p", 2);
    if (p != std::floor(p))
        return makeDiag(DiagCode::UnsupportedAttribute, "p of a LpPool is an integer");
    Geometry geometry = geometryOf(node);
    auto& written = out.main(node, "LpPool", {cropped(out, node, geometry)});
    setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setAttribute(written, "p", static_cast<std::int64_t>(p));
    setAttribute(written, "pads", geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

constexpr std::array rows{
    WriterRow{"conv2d", convolution},
    WriterRow{"conv_transpose2d", convolution},
    WriterRow{"conv", convolution},
    WriterRow{"conv_transpose", convolution},
    WriterRow{"dense", dense},
    WriterRow{"max_pool2d", maxPool},
    WriterRow{"max_pool2d_places", maxPool},
    WriterRow{"max_pool3d_places", maxPool},
    WriterRow{"max_pool", maxPool},
    WriterRow{"avg_pool2d", avgPool},
    WriterRow{"avg_pool", avgPoolAnyAxes, 19},
    WriterRow{"lp_pool", lpPool, 18},
};

} // namespace

std::span<const WriterRow> windowWriters() {
    return rows;
}

} // namespace fw
