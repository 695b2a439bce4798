// Operators without operands, and those that only look at types.
#include "library/native.h"

#include "tensor/demand.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

Result<Inferred> declaredTypes(const OpCall& call) {
    Inferred out;
    out.outputs = call.declared;
    return out;
}

// Axes from `start` to before `end`, of which negative ones count from the end.
struct AxisRange {
    std::size_t start = 0, end = 0;
};

AxisRange partOf(const OpCall& call, std::size_t count) {
    const auto rank = static_cast<std::int64_t>(count);
    const auto placed = [&](std::int64_t axis) {
        return static_cast<std::size_t>(
            std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
    };
    const std::size_t start = placed(call.attrs.integer("start", 0));
    return {start, std::max(start, placed(call.attrs.integer("end", rank)))};
}

Result<Inferred> inferShape(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    const AxisRange part = partOf(call, x->rank());
    return inferredType({DType::I64, {Dim(static_cast<std::int64_t>(part.end - part.start))}});
}

// y[i] is the extent of the axis i places behind `start`, chosen by comparing i.
Result<OpInst> instantiateShape(const OpCall& call, const std::vector<TensorType>& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    Expr body(0);
    const AxisRange part = partOf(call, x->rank());
    for (std::size_t i = part.end - part.start; i-- > 0;)
        body = selectExpr(eqExpr(varExpr("i0"), Expr(static_cast<std::int64_t>(i))),
                          x->shape[part.start + i], body);
    return mapInst({{Symbol("x"), *x}}, outputs[0], body);
}

// The one element that the result is filled with; an f32 0 if there is no `value`.
Result<TensorData> fillOf(const OpCall& call) {
    const AttrValue* value = call.attrs.find("value");
    if (value == nullptr)
        return dataFromDoubles(DType::F32, {1}, {0});
    const auto* data = std::get_if<TensorData>(value);
    if (data == nullptr || data->count() != 1 || data->dtype() == DType::Text)
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("value = {} is no tensor of one number, "
                                    "which the element type is taken from",
                                    attrText(*value)),
                        {}, "write value = tensor(f32[1], [3.0]), or of another type");
    return *data;
}

Result<Inferred> inferFill(const OpCall& call) {
    FW_TRY(Shape shape, shapeAttr(call.attrs, "shape"));
    FW_TRY(const TensorData fill, fillOf(call));
    Inferred out = inferredType({fill.dtype(), shape});
    for (const Dim& dim : shape)
        FW_CHECK(demand(out.assumptions, leExpr(Expr(0), dim),
                        "constant_of_shape: a dimension would be " + dim.text() +
                            ": it must not be negative"));
    return out;
}

Result<OpInst> instantiateFill(const OpCall& call, const std::vector<TensorType>& outputs) {
    FW_TRY(const TensorData fill, fillOf(call));
    return mapInst({}, outputs[0],
                   isFloat(fill.dtype()) ? floatExpr(fill.at(0), fill.dtype())
                                         : intExpr(fill.integerAt(0), fill.dtype()));
}

} // namespace

std::vector<NativeRow> leafOperators() {
    return {
        {"input", "a value given to the model", "input() -> y", {}, {"y"}, {}, declaredTypes, {}},
        {"constant",
         "a value that is part of the model",
         "constant() -> y",
         {},
         {"y"},
         {},
         declaredTypes,
         {}},
        {"unknown",
         "an operator that is not known: shown, but not run",
         "unknown(...) -> ...",
         {},
         {},
         {{"domain", AttrType::Text}, {"op_type", AttrType::Text}},
         declaredTypes,
         {},
         false,
         true},
        {"call",
         "a function of the model, or a branch that is always taken: its body stands for it",
         "call(...) -> ...",
         {},
         {},
         {{"domain", AttrType::Text}, {"op_type", AttrType::Text}, {"runs", AttrType::Int}},
         declaredTypes,
         {},
         false,
         true},
        NativeRow{"shape",
                  "the extents of a tensor, or of its axes from `start` to before `end`",
                  "shape(x: T[S...], attr start: int, attr end: int) -> y: i64[end - start]",
                  {"x"},
                  {"y"},
                  {{"start", AttrType::Int}, {"end", AttrType::Int}},
                  inferShape,
                  instantiateShape}
            .with("onnx \"\" \"Shape\" since 1 until 14 onnx \"\" \"Shape\" since 15"),
        NativeRow{"constant_of_shape",
                  "one value everywhere",
                  "constant_of_shape(attr shape, attr value: tensor of one element = f32 0) -> y: "
                  "T[shape...]",
                  {},
                  {"y"},
                  {{"shape", AttrType::Dims}, {"value", AttrType::Tensor}},
                  inferFill,
                  instantiateFill}
            .with("onnx \"\" \"ConstantOfShape\" since 9 {shape = operand 1}"),
    };
}

} // namespace fw
