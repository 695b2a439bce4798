// Operators on sizes that are known when the model runs: free dimensions that take their values
// then, and movements whose places are data, so that only their extents have to be bound.
#include "library/native.h"

#include "expr/simplify.h"
#include "tensor/demand.h"
#include "tensor/reducible.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using Types = std::vector<TensorType>;

// --- bind_dims: one free dimension for each size

Result<Inferred> inferBindDims(const OpCall& call) {
    FW_TRY(const TensorType* sizes, operand(call, 0, "sizes"));
    FW_TRY(const Shape dims, shapeAttr(call.attrs, "dims"));
    const auto count = static_cast<std::int64_t>(dims.size());
    if (sizes->dtype != DType::I64 || sizes->rank() != 1 || !sizes->shape[0].isInt(count))
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("bind_dims: {} is no i64[{}], a size for each name in dims",
                                    sizes->text(), count));
    for (const Dim& dim : dims)
        if (!dim.isVar() || std::count(dims.begin(), dims.end(), dim) != 1)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            fmt::format("bind_dims: dims = {} are no names of dimensions, each "
                                        "written once",
                                        shapeText(dims)));
    return inferredType(*sizes);
}

Result<OpInst> instantiateBindDims(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* sizes, operand(call, 0, "sizes"));
    return mapInst({{Symbol("sizes"), *sizes}}, outputs[0],
                   loadExpr("sizes", {varExpr("i0")}, DType::I64));
}

// An i64 for each axis of x.
Result<const TensorType*> perAxis(const OpCall& call, std::size_t index, const std::string& name,
                                  std::size_t rank) {
    FW_TRY(const TensorType* type, operand(call, index, name));
    if (type->dtype != DType::I64 || type->rank() != 1 ||
        !type->shape[0].isInt(static_cast<std::int64_t>(rank)))
        return makeDiag(
            DiagCode::ShapeMismatch,
            fmt::format("{} is {}, not i64[{}], one for each axis", name, type->text(), rank));
    return type;
}

Result<Inferred> ofShape(const OpCall& call, const std::string& name) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(Shape shape, shapeAttr(call.attrs, "shape"));
    if (shape.size() != x->rank())
        return makeDiag(DiagCode::ShapeMismatch, fmt::format("{}: {} and {} differ in rank", name,
                                                             x->text(), shapeText(shape)));
    Inferred out = inferredType({x->dtype, shape});
    for (const Dim& dim : shape)
        FW_CHECK(demand(
            out.assumptions, leExpr(Expr(0), dim),
            fmt::format("{}: a dimension would be {}: it must not be negative", name, dim.text())));
    return out;
}

// Whoever reads an element has one to read.
Status demandElements(Inferred& out, const TensorType& x, const std::string& name) {
    const Expr count = simplify(elementCount(out.outputs[0].shape));
    for (std::size_t i = 0; i < x.rank(); ++i)
        FW_CHECK(demand(out.assumptions,
                        orExpr(leExpr(Expr(1), x.shape[i]), eqExpr(count, Expr(0))),
                        fmt::format("{}: axis {} of {} must have an element", name, i, x.text())));
    return {};
}

Expr clampedTo(const Expr& index, const Dim& extent) {
    return maxExpr(minExpr(index, extent - Expr(1)), Expr(0));
}

// An element of x; one that has none is not read.
Expr elementOf(const TensorType& x, Exprs indices) {
    if (std::any_of(x.shape.begin(), x.shape.end(), [](const Dim& dim) { return dim.isInt(0); }))
        return constantExpr(0, x.dtype);
    return loadExpr("x", std::move(indices), x.dtype);
}

Expr numberOf(const char* vector, std::size_t axis) {
    return loadExpr(vector, {Expr(static_cast<std::int64_t>(axis))}, DType::I64);
}

// --- slice_at: element i of an axis is element first + i * step of x

Result<Inferred> inferSliceAt(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_CHECK(perAxis(call, 1, "first", x->rank()));
    FW_CHECK(perAxis(call, 2, "step", x->rank()));
    FW_TRY(Inferred out, ofShape(call, "slice_at"));
    FW_CHECK(demandElements(out, *x, "slice_at"));
    return out;
}

Result<OpInst> instantiateSliceAt(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const TensorType* first, operand(call, 1, "first"));
    FW_TRY(const TensorType* step, operand(call, 2, "step"));
    const std::vector<Axis> axes = axesOf(outputs[0].shape);
    Exprs indices;
    for (std::size_t i = 0; i < axes.size(); ++i)
        indices.push_back(clampedTo(
            numberOf("first", i) + varExpr(axes[i].var) * numberOf("step", i), x->shape[i]));
    return mapInst({{Symbol("x"), *x}, {Symbol("first"), *first}, {Symbol("step"), *step}},
                   outputs[0], elementOf(*x, std::move(indices)));
}

// --- pad_at: element before + i of an axis is element i of x. What is negative cuts off before
// anything is mirrored or wrapped at the ends.

enum class Beyond : std::uint8_t { Value, Edge, Reflect, Wrap };

Result<Beyond> beyondOf(const OpCall& call) {
    const std::string mode = call.attrs.text("mode", "constant");
    if (mode == "constant")
        return Beyond::Value;
    if (mode == "edge")
        return Beyond::Edge;
    if (mode == "reflect")
        return Beyond::Reflect;
    if (mode == "wrap")
        return Beyond::Wrap;
    return makeDiag(DiagCode::UnsupportedAttribute, "pad_at: there is no mode " + mode, {},
                    "constant, edge, reflect or wrap");
}

Result<Inferred> inferPadAt(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_CHECK(perAxis(call, 1, "before", x->rank()));
    FW_TRY(const TensorType* value, operand(call, 2, "value"));
    if (!(*value == TensorType{x->dtype, {}}))
        return makeDiag(DiagCode::ShapeMismatch, fmt::format("pad_at: value is {}, not one {}",
                                                             value->text(), dtypeText(x->dtype)));
    FW_TRY(const Beyond beyond, beyondOf(call));
    FW_TRY(Inferred out, ofShape(call, "pad_at"));
    if (beyond != Beyond::Value)
        FW_CHECK(demandElements(out, *x, "pad_at"));
    return out;
}

Result<OpInst> instantiatePadAt(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const TensorType* before, operand(call, 1, "before"));
    FW_TRY(const TensorType* value, operand(call, 2, "value"));
    FW_TRY(const Beyond beyond, beyondOf(call));
    const std::vector<Axis> axes = axesOf(outputs[0].shape);
    Exprs indices;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const Dim& extent = x->shape[i];
        const Expr put = numberOf("before", i);
        const Expr cut = maxExpr(Expr(0) - put, Expr(0)); // of the front
        const Expr behind = axes[i].extent - extent - put;
        const Expr left = extent - cut + minExpr(behind, Expr(0));
        Expr at = varExpr(axes[i].var) - put;
        if (beyond == Beyond::Reflect) {
            const Expr last = Expr(2) * left - Expr(2);
            const Expr along = modExpr(at - cut, maxExpr(last, Expr(1)));
            at = minExpr(along, last - along) + cut;
        } else if (beyond == Beyond::Wrap) {
            at = modExpr(at - cut, maxExpr(left, Expr(1))) + cut;
        }
        indices.push_back(beyond == Beyond::Value ? at : clampedTo(at, extent));
    }
    Expr body = beyond == Beyond::Value ? loadExpr("x", std::move(indices), x->dtype)
                                        : elementOf(*x, std::move(indices));
    if (beyond == Beyond::Value)
        body = padExpr(body, loadExpr("value", {}, x->dtype));
    return mapInst({{Symbol("x"), *x}, {Symbol("before"), *before}, {Symbol("value"), *value}},
                   outputs[0], body);
}

// --- sum_to, max_to, ...: over the axes that the shape has only one element of

Result<Inferred> inferReduceTo(const OpCall& call, const std::string& name, Reducer reducer) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    if (!isReducible(reducer, x->dtype))
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("{} takes numbers, not {}", name, dtypeText(x->dtype)));
    FW_TRY(Inferred out, ofShape(call, name));
    for (std::size_t i = 0; i < x->rank(); ++i) {
        const Dim& to = out.outputs[0].shape[i];
        FW_CHECK(demand(out.assumptions, orExpr(eqExpr(to, x->shape[i]), eqExpr(to, Expr(1))),
                        fmt::format("{}: {} for an extent of {}: it must be equal or 1", name,
                                    to.text(), x->shape[i].text())));
    }
    return out;
}

Result<OpInst> instantiateReduceTo(const OpCall& call, const Types& outputs, Reducer reducer) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    Stage stage;
    stage.out = "y";
    stage.reducer = reducer;
    Exprs indices;
    for (std::size_t i = 0; i < x->rank(); ++i) {
        const Dim& to = outputs[0].shape[i];
        const Symbol kept("i" + std::to_string(i)), summed("r" + std::to_string(i));
        stage.space.push_back({kept, to});
        stage.reduce.push_back({summed, simplify(floorDivExpr(x->shape[i], maxExpr(to, Expr(1))))});
        indices.push_back(clampedTo(varExpr(kept) + varExpr(summed), x->shape[i]));
    }
    stage.store = varsOf(stage.space);
    stage.body = elementOf(*x, std::move(indices));
    OpInst inst;
    inst.inputs = {{Symbol("x"), *x}};
    inst.outputs = {{Symbol("y"), outputs[0]}};
    inst.stages = {std::move(stage)};
    return inst;
}

NativeRow reduceTo(const std::string& name, const std::string& type, const std::string& what,
                   Reducer reducer) {
    NativeRow out{
        name,
        what + " over the axes of which a shape has one element only",
        name + "(x: T[S...], attr shape) -> y: T[shape...]",
        {"x"},
        {"y"},
        {{"shape", AttrType::Dims}},
        [name, reducer](const OpCall& call) { return inferReduceTo(call, name, reducer); },
        [reducer](const OpCall& call, const Types& outputs) {
            return instantiateReduceTo(call, outputs, reducer);
        }};
    return out.with("onnx \"fusewright\" \"" + type + "\" {shape = operand 2}");
}

} // namespace

std::vector<NativeRow> sizeOperators() {
    return {
        {"bind_dims",
         "its elements are the values of free dimensions, which are known when it has run",
         "bind_dims(sizes: i64[N], attr dims) -> y: i64[N]",
         {"sizes"},
         {"y"},
         {{"dims", AttrType::Dims}},
         inferBindDims,
         instantiateBindDims,
         true,
         false,
         true},
        NativeRow{
            "slice_at",
            "every element `first` + i * `step` of each axis",
            "slice_at(x: T[S...], first: i64[rank], step: i64[rank], attr shape) -> y: T[shape...]",
            {"x", "first", "step"},
            {"y"},
            {{"shape", AttrType::Dims}},
            inferSliceAt,
            instantiateSliceAt}
            .with("onnx \"fusewright\" \"SliceAt\" {shape = operand 4}"),
        NativeRow{"pad_at",
                  "x from place `before` of each axis on, around it a value, or what `mode` says",
                  "pad_at(x: T[S...], before: i64[rank], value: T[], attr shape, attr mode: text = "
                  "\"constant\") -> y: T[shape...]",
                  {"x", "before", "value"},
                  {"y"},
                  {{"shape", AttrType::Dims}, {"mode", AttrType::Text, std::string("constant")}},
                  inferPadAt,
                  instantiatePadAt}
            .with("onnx \"fusewright\" \"PadAt\" {shape = operand 4}"),
        reduceTo("sum_to", "SumTo", "sums", Reducer::Sum),
        reduceTo("max_to", "MaxTo", "largest elements", Reducer::Max),
        reduceTo("min_to", "MinTo", "smallest elements", Reducer::Min),
        reduceTo("prod_to", "ProdTo", "products", Reducer::Prod),
    };
}

} // namespace fw
