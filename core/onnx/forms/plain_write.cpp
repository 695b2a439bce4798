// Operators whose ONNX spelling is one node, or a short chain of nodes without geometry.
#include "onnx/model/tensor_proto.h"
#include "onnx/schema/standard_operators.h"
#include "onnx/write/graph_writer.h"

#include <algorithm>
#include <array>
#include <limits>

namespace fw {

namespace {

struct Spelling {
    std::string_view op;
    const char* type;
    std::int64_t since = oldestWrittenOpset;
};

// Same operands, no attributes; nodes of these types are read in other forms, too.
constexpr std::array spellings{
    Spelling{"identity", "Identity"},
    Spelling{"quantize", "QuantizeLinear"},
    Spelling{"dequantize", "DequantizeLinear"},
};

Status plain(GraphWriter& out, const Node& node) {
    for (const Spelling& spelling : spellings)
        if (spelling.op == node.op)
            out.main(node, spelling.type, out.operands(node));
    return {};
}

std::string scalar(GraphWriter& out, const Node& node, const std::string& suffix, double value) {
    const DType dtype = out.graph().type(node.inputs[0]).dtype;
    return out.initializer(node.name + "." + suffix, dataFromDoubles(dtype, {}, {value}));
}

// An operator that is written as several nodes rounds once all the same: of f16 and bf16 they are
// in f32, between casts.
class Steps {
public:
    Steps(GraphWriter& out, const Node& node)
        : m_out(out), m_node(node), m_dtype(out.graph().type(node.inputs[0]).dtype),
          m_narrow(m_dtype == DType::F16 || m_dtype == DType::BF16) {}

    std::string operand(std::size_t i = 0) {
        const std::string x = m_out.use(m_node.inputs[i]);
        if (!m_narrow)
            return x;
        const std::string wide = m_out.fresh(m_node.name + ".wide");
        setAttribute(m_out.node("Cast", {x}, wide, m_out.fresh(wide + ".node")), "to",
                     std::int64_t{onnxFromDtype(DType::F32)});
        return wide;
    }
    std::string number(const std::string& suffix, double value) {
        const TensorData data = dataFromDoubles(m_narrow ? DType::F32 : m_dtype, {}, {value});
        return m_out.initializer(m_node.name + "." + suffix, data);
    }
    std::string step(const std::string& type, const std::vector<std::string>& inputs,
                     const std::string& suffix) {
        return m_out.step(m_node, type, inputs, suffix);
    }
    void end(const std::string& type, const std::vector<std::string>& inputs) {
        if (m_narrow)
            setAttribute(m_out.main(m_node, "Cast", {step(type, inputs, "whole")}), "to",
                         std::int64_t{onnxFromDtype(m_dtype)});
        else
            m_out.main(m_node, type, inputs);
    }

private:
    GraphWriter& m_out;
    const Node& m_node;
    const DType m_dtype;
    const bool m_narrow;
};

Status rsqrt(GraphWriter& out, const Node& node) {
    Steps steps(out, node);
    steps.end("Reciprocal", {steps.step("Sqrt", {steps.operand()}, "sqrt")});
    return {};
}

Status clip(GraphWriter& out, const Node& node) {
    std::vector<std::string> inputs = out.operands(node);
    // Without a bound infinities would be kept to the largest number.
    constexpr double infinite = std::numeric_limits<double>::infinity();
    inputs.push_back(scalar(out, node, "min", node.attrs.real("min", -infinite)));
    inputs.push_back(scalar(out, node, "max", node.attrs.real("max", infinite)));
    out.main(node, "Clip", inputs);
    return {};
}

Status cast(GraphWriter& out, const Node& node) {
    const AttrValue* to = node.attrs.find("to");
    const DType* dtype = to ? std::get_if<DType>(to) : nullptr;
    setAttribute(out.main(node, "Cast", out.operands(node)), "to",
                 std::int64_t{onnxFromDtype(dtype ? *dtype : DType::F32)});
    return {};
}

Status dropout(GraphWriter& out, const Node& node) {
    const TensorData ratio = dataFromDoubles(DType::F32, {}, {node.attrs.real("ratio", 0.5)});
    out.main(node, "Dropout",
             {out.use(node.inputs[0]), out.initializer(node.name + ".ratio", ratio)});
    return {};
}

// Gelu is an operator since opset 20 only: 0.5 x (1 + erf(x / sqrt 2)).
Status gelu(GraphWriter& out, const Node& node) {
    Steps steps(out, node);
    const std::string x = steps.operand();
    const std::string scaled =
        steps.step("Mul", {x, steps.number("sqrt_half", 0.70710678118654752)}, "scaled");
    const std::string erf = steps.step("Erf", {scaled}, "erf");
    const std::string sum = steps.step("Add", {erf, steps.number("one", 1)}, "sum");
    const std::string half = steps.step("Mul", {x, steps.number("half", 0.5)}, "product");
    steps.end("Mul", {half, sum});
    return {};
}

// Swish is an operator since opset 24 only: x * sigmoid(alpha x).
Status swish(GraphWriter& out, const Node& node) {
    Steps steps(out, node);
    const std::string x = steps.operand();
    const double alpha = node.attrs.real("alpha", 1);
    const std::string scaled =
        alpha == 1 ? x : steps.step("Mul", {x, steps.number("alpha", alpha)}, "scaled");
    steps.end("Mul", {x, steps.step("Sigmoid", {scaled}, "gate")});
    return {};
}

// Mish is an operator since opset 18 only: x * tanh(softplus(x)).
Status mish(GraphWriter& out, const Node& node) {
    if (out.opset() >= 18) {
        out.main(node, "Mish", out.operands(node));
        return {};
    }
    Steps steps(out, node);
    const std::string x = steps.operand();
    const std::string soft = steps.step("Softplus", {x}, "softplus");
    steps.end("Mul", {x, steps.step("Tanh", {soft}, "gate")});
    return {};
}

// One value per position of an axis, as [D, 1, 1]: what NumPy's rule stretches along the axes
// behind it.
Result<std::string> alongAxis(GraphWriter& out, const Node& node) {
    const Graph& graph = out.graph();
    const auto rank = static_cast<std::int64_t>(graph.type(node.inputs[0]).rank());
    std::int64_t axis = node.attrs.integer("axis", 1);
    axis += axis < 0 ? rank : 0;
    const std::int64_t behind = rank - 1 - axis;
    if (behind == 0)
        return out.use(node.inputs[1]);
    Integers shape(static_cast<std::size_t>(behind) + 1, 1);
    if (const TensorData* data = graph.constant(node.inputs[1])) {
        shape[0] = static_cast<std::int64_t>(data->count());
        return out.initializer(out.nameOf(node.inputs[1]) + ".column", data->reshaped(shape));
    }
    shape[0] = -1;
    return out.step(node, "Reshape",
                    {out.use(node.inputs[1]), out.integers(node.name + ".column_shape", shape)},
                    "column");
}

Status bias(GraphWriter& out, const Node& node) {
    FW_TRY(const auto values, alongAxis(out, node));
    out.main(node, "Add", {out.use(node.inputs[0]), values});
    return {};
}

Status scale(GraphWriter& out, const Node& node) {
    FW_TRY(const auto values, alongAxis(out, node));
    out.main(node, "Mul", {out.use(node.inputs[0]), values});
    return {};
}

Status layernorm(GraphWriter& out, const Node& node) {
    // ONNX computes in f32, or in f64 where it is told to, and gives mean and deviation as such.
    const DType dtype = out.graph().type(node.inputs[0]).dtype;
    const bool isDouble = dtype == DType::F64;
    const bool converts = !isDouble && dtype != DType::F32;
    auto& written = out.main(node, "LayerNormalization", out.operands(node));
    setAttribute(written, "axis", std::int64_t{-1});
    setAttribute(written, "epsilon", node.attrs.real("eps", 1e-5));
    if (isDouble)
        setAttribute(written, "stash_type", std::int64_t{11});
    // They keep the axis.
    std::vector<std::string> kept;
    for (int i = 1; i < static_cast<int>(node.outputs.size()); ++i) {
        const ValueRef value{node.id, i};
        const bool used = !out.graph().uses(value).empty() || out.graph().isResult(value);
        kept.push_back(used ? out.fresh(out.nameOf(value) + ".kept") : "");
    }
    while (!kept.empty() && kept.back().empty())
        kept.pop_back();
    for (const std::string& name : kept)
        written.add_output(name);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i].empty())
            continue;
        const std::string name = out.nameOf({node.id, static_cast<int>(i) + 1});
        const std::string squeezed = converts ? out.fresh(name + ".squeezed") : name;
        out.node("Squeeze", {kept[i], out.integers(node.name + ".last", {-1})}, squeezed,
                 out.fresh(kept[i] + ".squeeze"));
        if (converts)
            setAttribute(out.node("Cast", {squeezed}, name, out.fresh(name + ".cast")), "to",
                         std::int64_t{onnxFromDtype(dtype)});
    }
    return {};
}

// Attention is an operator since opset 23 only: its products, factor, mask and softmax.
Status attention(GraphWriter& out, const Node& node) {
    Steps steps(out, node);
    std::string scores = steps.step("MatMul", {steps.operand(0), steps.operand(1)}, "scores");
    if (const double factor = node.attrs.real("scale", 1); factor != 1)
        scores = steps.step("Mul", {scores, steps.number("scale", factor)}, "scaled");
    if (node.inputs.size() > 3 && node.inputs[3].valid())
        scores = steps.step("Add", {scores, steps.operand(3)}, "masked");
    const std::string weights = out.fresh(node.name + ".weights");
    setAttribute(out.node("Softmax", {scores}, weights, out.fresh(weights + ".node")), "axis",
                 std::int64_t{-1});
    steps.end("MatMul", {weights, steps.operand(2)});
    return {};
}

Status quantizedAlong(GraphWriter& out, const Node& node) {
    const bool back = node.op.starts_with("dequantize");
    const char* const type = back ? "DequantizeLinear" : "QuantizeLinear";
    auto& written = out.main(node, type, out.operands(node));
    setAttribute(written, "axis", node.attrs.integer("axis", 1));
    if (node.attrs.has("block"))
        setAttribute(written, "block_size", node.attrs.integer("block", 0));
    return {};
}

constexpr std::array special{
    WriterRow{"quantize_along", quantizedAlong},
    WriterRow{"dequantize_along", quantizedAlong},
    WriterRow{"quantize_blocks", quantizedAlong, 21},
    WriterRow{"dequantize_blocks", quantizedAlong, 21},
    WriterRow{"rsqrt", rsqrt},
    WriterRow{"clip", clip},
    WriterRow{"cast", cast},
    WriterRow{"dropout", dropout},
    WriterRow{"gelu", gelu},
    WriterRow{"swish", swish},
    WriterRow{"mish", mish},
    WriterRow{"bias", bias},
    WriterRow{"scale", scale},
    WriterRow{"layernorm", layernorm, 17},
    WriterRow{"attention", attention},
};

} // namespace

std::span<const WriterRow> plainWriters() {
    static constexpr auto rows = [] {
        std::array<WriterRow, spellings.size() + special.size()> all{};
        for (std::size_t i = 0; i < spellings.size(); ++i)
            all[i] = {spellings[i].op, plain, spellings[i].since};
        std::copy(special.begin(), special.end(), all.begin() + spellings.size());
        return all;
    }();
    return rows;
}

} // namespace fw
