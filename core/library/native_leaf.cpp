// Operators without operands, and those that only look at types.
#include "library/native.h"

#include "tensor/demand.h"

namespace fw {

namespace {

Result<Inferred> declaredTypes(const OpCall& call) {
    Inferred out;
    out.outputs = call.declared;
    return out;
}

Result<Inferred> inferShape(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    return inferredType({DType::I64, {Dim(static_cast<std::int64_t>(x->rank()))}});
}

// y[i] is the extent of axis i, chosen by comparing i.
Result<OpInst> instantiateShape(const OpCall& call, const std::vector<TensorType>& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    Expr body(0);
    for (std::size_t i = x->rank(); i-- > 0;)
        body = selectExpr(eqExpr(varExpr("i0"), Expr(static_cast<std::int64_t>(i))), x->shape[i],
                          body);
    return mapInst({{Symbol("x"), *x}}, outputs[0], body);
}

Result<Inferred> inferFill(const OpCall& call) {
    FW_TRY(Shape shape, shapeAttr(call.attrs, "shape"));
    const AttrValue* value = call.attrs.find("value");
    const auto* data = value ? std::get_if<TensorData>(value) : nullptr;
    Inferred out = inferredType({data ? data->dtype() : DType::F32, shape});
    for (const Dim& dim : shape)
        FW_CHECK(demand(out.assumptions, leExpr(Expr(0), dim),
                        "constant_of_shape: a dimension would be " + dim.text() +
                            ": it must not be negative"));
    return out;
}

Result<OpInst> instantiateFill(const OpCall& call, const std::vector<TensorType>& outputs) {
    const AttrValue* value = call.attrs.find("value");
    const auto* data = value ? std::get_if<TensorData>(value) : nullptr;
    return mapInst({}, outputs[0],
                   constantExpr(data && data->count() > 0 ? data->at(0) : 0, outputs[0].dtype));
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
         {"domain", "op_type"},
         declaredTypes,
         {}},
        {"shape",
         "the extents of a tensor",
         "shape(x: T[S...]) -> y: i64[rank]",
         {"x"},
         {"y"},
         {},
         inferShape,
         instantiateShape},
        {"constant_of_shape",
         "one value everywhere",
         "constant_of_shape(attr shape, attr value) -> y: T[shape...]",
         {},
         {"y"},
         {"shape", "value"},
         inferFill,
         instantiateFill},
    };
}

} // namespace fw
