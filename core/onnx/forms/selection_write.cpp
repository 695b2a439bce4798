// Operators that pick elements, by index or by size, and spectra: their attributes become operands
// again.
#include "onnx/model/tensor_proto.h"
#include "onnx/write/graph_writer.h"

#include <array>
#include <cmath>

namespace fw {

namespace {

std::string number(GraphWriter& out, const Node& node, const std::string& suffix,
                   std::int64_t value) {
    return out.initializer(node.name + "." + suffix, dataFromIntegers(DType::I64, {}, {value}));
}

std::string casted(GraphWriter& out, const Node& node, const std::string& x, DType to,
                   const std::string& suffix) {
    const std::string name = out.fresh(node.name + "." + suffix);
    setAttribute(out.node("Cast", {x}, name, out.fresh(name + ".node")), "to",
                 std::int64_t{onnxFromDtype(to)});
    return name;
}

// ONNX Runtime has kernels for some threes of element types only: indices, values and depth of i64,
// f32 and i64, i32, f32 and i32, and i64, i32 and f32.
Status oneHot(GraphWriter& out, const Node& node) {
    const Graph& graph = out.graph();
    const Exprs dims = dimsOf(node, "depth");
    const DType values = graph.type(node.inputs[1]).dtype;
    DType index = graph.type(node.inputs[0]).dtype;
    std::string places = out.use(node.inputs[0]);
    const bool both32 = index == DType::I32 && values == DType::F32;
    if ((values == DType::I64 || values == DType::I32 || values == DType::F32) && !both32 &&
        index != DType::I64) {
        index = DType::I64;
        places = casted(out, node, places, index, "places");
    }
    const DType type = both32                                        ? DType::I32
                       : index == DType::I64 && values == DType::I32 ? DType::F32
                                                                     : DType::I64;
    std::string depth;
    if (const auto fixed = fixedExtents(dims)) {
        depth = out.initializer(
            node.name + ".depth",
            type == DType::F32 ? dataFromDoubles(type, {1}, {static_cast<double>(fixed->at(0))})
                               : dataFromIntegers(type, {1}, {fixed->at(0)}));
    } else {
        FW_TRY(depth, out.dims(node.name + ".depth", dims));
        if (type != DType::I64)
            depth = casted(out, node, depth, type, "count");
    }
    auto& written = out.main(node, "OneHot", {places, depth, out.use(node.inputs[1])});
    setAttribute(written, "axis", std::int64_t{-1});
    return {};
}

Status reverseSequence(GraphWriter& out, const Node& node) {
    out.main(node, "ReverseSequence", out.operands(node));
    return {};
}

Status dft(GraphWriter& out, const Node& node) {
    FW_TRY(const std::string length, out.dims(node.name + ".length", dimsOf(node, "length")));
    const std::string one =
        out.step(node, "Squeeze", {length, out.integers(node.name + ".first", {0})}, "number");
    // One side of a transform back gives real numbers, which dft does not.
    const bool isReal = node.op == "inverse_real_dft";
    if (!isReal && node.attrs.integer("onesided", 0) != 0 && node.attrs.integer("inverse", 0) != 0)
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "ONNX has no one-sided inverse of DFT that keeps complex numbers");
    const std::int64_t axis = node.attrs.integer("axis", 1);
    std::vector<std::string> inputs{out.use(node.inputs[0]), one};
    const bool asOperand = out.opset() >= 20;
    if (asOperand)
        inputs.push_back(number(out, node, "axis", axis));
    auto& written = out.main(node, "DFT", inputs);
    if (!asOperand)
        setAttribute(written, "axis", axis);
    setAttribute(written, "inverse", isReal ? 1 : node.attrs.integer("inverse", 0));
    setAttribute(written, "onesided", isReal ? 1 : node.attrs.integer("onesided", 0));
    return {};
}

Status stft(GraphWriter& out, const Node& node) {
    std::string step;
    if (const Integers fixed = node.attrs.integers("step"); fixed.size() == 1) {
        step = number(out, node, "step", fixed.front());
    } else {
        FW_TRY(const std::string size, out.dims(node.name + ".step", dimsOf(node, "step")));
        step = out.step(node, "Squeeze", {size, out.integers(node.name + ".first", {0})}, "one");
    }
    auto& written =
        out.main(node, "STFT", {out.use(node.inputs[0]), step, out.use(node.inputs[1])});
    setAttribute(written, "onesided", node.attrs.integer("onesided", 1));
    return {};
}

// A constant of whole numbers, or what was an integer before it was cast and seen as another shape.
bool isWhole(const Graph& graph, ValueRef value) {
    for (const Node* node = &graph.node(value.node);; node = &graph.node(node->inputs[0].node)) {
        if (node->isConstant()) {
            for (std::size_t i = 0; i < node->data->count(); ++i)
                if (node->data->at(i) != std::floor(node->data->at(i)))
                    return false;
            return true;
        }
        if (!isFloat(node->outputs[0].type.dtype))
            return true;
        if ((node->op != "cast" && node->op != "reshape") || node->inputs.empty())
            return false;
    }
}

// In ONNX the rate is an integer.
Status melWeights(GraphWriter& out, const Node& node) {
    if (!isWhole(out.graph(), node.inputs[0]))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "ONNX has mel weights of rates that are whole numbers only");
    FW_TRY(const std::string bins, out.dims(node.name + ".bins", dimsOf(node, "bins")));
    FW_TRY(const std::string length, out.dims(node.name + ".length", dimsOf(node, "length")));
    const std::string scalar = out.integers(node.name + ".scalar", {});
    std::vector<std::string> inputs{out.step(node, "Reshape", {bins, scalar}, "bins"),
                                    out.step(node, "Reshape", {length, scalar}, "length"),
                                    casted(out, node, out.use(node.inputs[0]), DType::I64, "rate"),
                                    casted(out, node, out.use(node.inputs[1]), DType::F32, "low"),
                                    casted(out, node, out.use(node.inputs[2]), DType::F32, "high")};
    const AttrValue* to = node.attrs.find("to");
    const DType* dtype = to ? std::get_if<DType>(to) : nullptr;
    setAttribute(out.main(node, "MelWeightMatrix", inputs), "output_datatype",
                 std::int64_t{onnxFromDtype(dtype ? *dtype : DType::F32)});
    return {};
}

} // namespace

std::span<const WriterRow> selectionWriters() {
    static constexpr std::array rows{
        WriterRow{"one_hot", oneHot}, WriterRow{"reverse_sequence", reverseSequence},
        WriterRow{"dft", dft, 17},    WriterRow{"inverse_real_dft", dft, 17},
        WriterRow{"stft", stft, 17},  WriterRow{"mel_weights", melWeights, 17},
    };
    return rows;
}

} // namespace fw
