// Operators that move elements: their attributes become operands again.
#include "expr/simplify.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/write/graph_writer.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace fw {

namespace {

// Free dimensions of the target: the one that stands where it stood is copied (0), one other is
// open (-1).
Status reshape(GraphWriter& out, const Node& node) {
    const Shape& from = out.graph().type(node.inputs[0]).shape;
    const Exprs shape = dimsOf(node, "shape");
    Integers target;
    bool hasZero = false;
    bool copies = false;
    int open = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (const auto extent = shape[i].asInt()) {
            hasZero = hasZero || *extent == 0;
            target.push_back(*extent);
        } else if (i < from.size() && from[i] == shape[i]) {
            copies = true;
            target.push_back(0);
        } else {
            ++open;
            target.push_back(-1);
        }
    }
    std::string operand;
    if (open > 1 || (hasZero && (copies || open > 0))) {
        FW_TRY(operand, out.dims(node.name + ".shape", shape));
        hasZero = true;
    } else {
        operand = out.integers(node.name + ".shape", target);
    }
    auto& written = out.main(node, "Reshape", {out.use(node.inputs[0]), operand});
    if (hasZero)
        setAttribute(written, "allowzero", std::int64_t{1});
    return {};
}

Status expand(GraphWriter& out, const Node& node) {
    FW_TRY(const auto shape, out.dims(node.name + ".shape", dimsOf(node, "shape")));
    out.main(node, "Expand", {out.use(node.inputs[0]), shape});
    return {};
}

Status split(GraphWriter& out, const Node& node) {
    FW_TRY(const std::string sizes, out.dims(node.name + ".sizes", dimsOf(node, "sizes")));
    auto& written = out.main(node, "Split", {out.use(node.inputs[0]), sizes});
    for (int i = 1; i < static_cast<int>(node.outputs.size()); ++i)
        written.add_output(out.nameOf({node.id, i}));
    setAttribute(written, "axis", node.attrs.integer("axis", 0));
    return {};
}

Status slice(GraphWriter& out, const Node& node) {
    Integers starts = node.attrs.integers("starts"), ends = node.attrs.integers("ends");
    const Integers axes = node.attrs.integers("axes"), steps = node.attrs.integers("steps");
    const Shape& shape = out.graph().type(node.inputs[0]).shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
        // Nothing lies before the first element; backwards ONNX begins there, and nothing lies
        // between the first and the first.
        const auto axis = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
        const auto extent = shape.at(axis).asInt();
        if (steps[i] < 0 && starts[i] < -extent.value_or(std::int64_t(1) << 40))
            starts[i] = ends[i] = 0;
    }
    out.main(node, "Slice",
             {out.use(node.inputs[0]), out.integers(node.name + ".starts", starts),
              out.integers(node.name + ".ends", ends), out.integers(node.name + ".axes", axes),
              out.integers(node.name + ".steps", steps)});
    return {};
}

Status pad(GraphWriter& out, const Node& node) {
    const DType dtype = out.graph().type(node.inputs[0]).dtype;
    const std::string pads = out.integers(node.name + ".pads", node.attrs.integers("pads"));
    const std::string value = out.initializer(
        node.name + ".value", dataFromDoubles(dtype, {}, {node.attrs.real("value", 0)}));
    out.main(node, "Pad", {out.use(node.inputs[0]), pads, value});
    return {};
}

// The standard has no shuffle of channels: groups and their channels as two axes, exchanged.
Status channelShuffle(GraphWriter& out, const Node& node) {
    const Shape& shape = out.graph().type(node.inputs[0]).shape;
    const std::int64_t groups = node.attrs.integer("groups", 1);
    Exprs apart(shape.begin(), shape.end());
    apart[1] = simplify(floorDivExpr(shape[1], Expr(groups)));
    apart.insert(apart.begin() + 1, Expr(groups));
    Integers perm(apart.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[1], perm[2]);
    FW_TRY(const std::string split, out.dims(node.name + ".groups", apart));
    FW_TRY(const std::string joined, out.dims(node.name + ".shape", {shape.begin(), shape.end()}));
    const std::string grouped = out.fresh(node.name + ".grouped");
    setAttribute(out.node("Reshape", {out.use(node.inputs[0]), split}, grouped), "allowzero",
                 std::int64_t{1});
    const std::string dealt = out.fresh(node.name + ".dealt");
    setAttribute(out.node("Transpose", {grouped}, dealt), "perm", perm);
    setAttribute(out.main(node, "Reshape", {dealt, joined}), "allowzero", std::int64_t{1});
    return {};
}

Status padMirrored(GraphWriter& out, const Node& node) {
    Integers pads = node.attrs.integers("before");
    const Integers behind = node.attrs.integers("behind");
    pads.insert(pads.end(), behind.begin(), behind.end());
    auto& written =
        out.main(node, "Pad", {out.use(node.inputs[0]), out.integers(node.name + ".pads", pads)});
    setAttribute(written, "mode", node.op.substr(node.op.find('_') + 1));
    return {};
}

// With constants the limit lies behind the last number. Else the places are numbered and the
// numbers computed from them, as readers have to know how many there are.
Status range(GraphWriter& out, const Node& node) {
    const DType dtype = out.graph().type(node.inputs[0]).dtype;
    const TensorData* start = out.graph().constant(node.inputs[0]);
    const TensorData* delta = out.graph().constant(node.inputs[1]);
    const Integers size = node.attrs.integers("size");
    if (start != nullptr && delta != nullptr && size.size() == 1 && delta->at(0) != 0) {
        const std::string limit = out.initializer(
            node.name + ".limit",
            isFloat(dtype) ? dataFromDoubles(dtype, {},
                                             {start->at(0) +
                                              (static_cast<double>(size[0]) - 0.5) * delta->at(0)})
                           : dataFromIntegers(
                                 dtype, {}, {start->integerAt(0) + size[0] * delta->integerAt(0)}));
        out.main(node, "Range", {out.use(node.inputs[0]), limit, out.use(node.inputs[1])});
        return {};
    }
    const Exprs extent = dimsOf(node, "size");
    const auto whole = [&](const char* name, std::int64_t value) {
        return out.initializer(node.name + name, dataFromIntegers(DType::I64, {}, {value}));
    };
    FW_TRY(const std::string count, out.dims(node.name + ".size", extent));
    const std::string first = out.integers(node.name + ".first", {0});
    const std::string one = out.step(node, "Squeeze", {count, first}, "count");
    if (dtype == DType::I64 && delta != nullptr && delta->integerAt(0) != 0) {
        const std::string from = out.use(node.inputs[0]), by = out.use(node.inputs[1]);
        const std::string span = out.step(node, "Mul", {one, by}, "span");
        const std::string limit = out.step(node, "Add", {from, span}, "limit");
        out.main(node, "Range", {from, limit, by});
        return {};
    }
    const std::string places =
        out.step(node, "Range", {whole(".zero", 0), one, whole(".one", 1)}, "places");
    const std::string typed = out.fresh(node.name + ".typed");
    setAttribute(out.node("Cast", {places}, typed, out.fresh(typed + ".cast")), "to",
                 std::int64_t{onnxFromDtype(dtype)});
    const std::string way = out.step(node, "Mul", {typed, out.use(node.inputs[1])}, "way");
    out.main(node, "Add", {out.use(node.inputs[0]), way});
    return {};
}

} // namespace

std::span<const WriterRow> movementWriters() {
    static constexpr std::array rows{
        WriterRow{"pad_edge", padMirrored},
        WriterRow{"pad_reflect", padMirrored},
        WriterRow{"pad_wrap", padMirrored, 19},
        WriterRow{"range", range},
        WriterRow{"reshape", reshape, 14},
        WriterRow{"expand", expand},
        WriterRow{"split", split},
        WriterRow{"slice", slice},
        WriterRow{"pad", pad},
        WriterRow{"channel_shuffle", channelShuffle, 14},
    };
    return rows;
}

} // namespace fw
