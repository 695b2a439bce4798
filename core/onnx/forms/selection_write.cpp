// Operators whose attributes become operands again, of types that ONNX asks for.
#include "onnx/model/tensor_proto.h"
#include "onnx/write/graph_writer.h"

#include <array>
#include <cmath>

namespace fw {

namespace {

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
        WriterRow{"one_hot", oneHot},
        WriterRow{"mel_weights", melWeights, 17},
    };
    return rows;
}

} // namespace fw
