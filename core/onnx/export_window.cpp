// Contractions and pools. A bias that directly follows goes back into the operator.
#include "onnx/constant_layout.h"
#include "onnx/graph_writer.h"

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

Status slides(GraphWriter& out, const Node& node) {
    if (out.graph().type(node.inputs.at(0)).rank() < 3)
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "windows of ONNX slide along one axis at least");
    return {};
}

Status convolution(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    FW_TRY(const Integers kernel, kernelShape(out, node));
    const Node* bias = out.foldedBias(node, 1);
    std::vector<std::string> inputs{out.use(node.inputs[0]), out.use(node.inputs[1])};
    if (bias)
        inputs.push_back(out.use(bias->inputs[1]));
    const bool transposed = node.op == "conv_transpose2d" || node.op == "conv_transpose";
    const Geometry geometry = geometryOf(node);
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
    const std::string largest = places ? out.fresh(node.name + ".largest") : "";
    auto& written = places ? out.node("MaxPool", {out.use(node.inputs[0])}, largest, node.name)
                           : out.main(node, "MaxPool", {out.use(node.inputs[0])});
    if (places) {
        written.add_output(out.nameOf({node.id, 0}));
        setAttribute(written, "storage_order", node.attrs.integer("by_columns", 0));
    }
    const Geometry geometry = geometryOf(node);
    setAttribute(written, "dilations", geometry.dilations);
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setAttribute(written, "pads", geometry.pads);
    setAttribute(written, "strides", geometry.strides);
    return {};
}

Status avgPoolAnyAxes(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    const Geometry geometry = geometryOf(node);
    Integers counted = node.attrs.integers("count_before");
    const Integers behind = node.attrs.integers("count_behind");
    counted.insert(counted.end(), behind.begin(), behind.end());
    const Integers none(counted.size(), 0);
    const bool partial = counted != none && counted != geometry.pads;
    const bool dilated = geometry.dilations != Integers(geometry.dilations.size(), 1);
    auto& written = out.main(node, "AveragePool", {out.use(node.inputs[0])});
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
    const Integers pads = node.attrs.integers("pads", none);
    const Integers counted = node.attrs.integers("counted", none);
    const bool partial = counted != none && counted != pads;
    if (partial && (counted[0] != pads[0] || counted[1] != pads[1]))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "ONNX counts either all pads at the beginning or none");
    auto& written = out.main(node, "AveragePool", {out.use(node.inputs[0])});
    if (partial)
        setAttribute(written, "ceil_mode", std::int64_t{1});
    setAttribute(written, "count_include_pad", std::int64_t{counted == none ? 0 : 1});
    setAttribute(written, "kernel_shape", node.attrs.integers("kernel_shape"));
    setAttribute(written, "pads", partial ? counted : pads);
    setAttribute(written, "strides", node.attrs.integers("strides", {1, 1}));
    return {};
}

Status lpPool(GraphWriter& out, const Node& node) {
    FW_CHECK(slides(out, node));
    const double p = node.attrs.real("p", 2);
    if (p != std::floor(p))
        return makeDiag(DiagCode::UnsupportedAttribute, "p of a LpPool is an integer");
    const Geometry geometry = geometryOf(node);
    auto& written = out.main(node, "LpPool", {out.use(node.inputs[0])});
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
