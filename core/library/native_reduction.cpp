// Reductions over any axes.
#include "library/native.h"
#include "tensor/reducible.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

struct Reduced {
    std::vector<bool> axes; // per dimension of x
    Shape shape;            // of the result
};

Result<Reduced> reduced(const OpCall& call, const TensorType& x) {
    Reduced out;
    out.axes.assign(x.rank(), false);
    for (std::int64_t axis : call.attrs.integers("axes")) {
        if (axis < 0)
            axis += static_cast<std::int64_t>(x.rank());
        if (axis < 0 || axis >= static_cast<std::int64_t>(x.rank()))
            return makeDiag(DiagCode::UnsupportedAttribute,
                            "an axis of the reduction is out of range");
        out.axes[static_cast<std::size_t>(axis)] = true;
    }
    const bool keep = call.attrs.integer("keepdims", 1) != 0;
    for (std::size_t i = 0; i < x.rank(); ++i) {
        if (!out.axes[i])
            out.shape.push_back(x.shape[i]);
        else if (keep)
            out.shape.emplace_back(1);
    }
    return out;
}

Result<Inferred> infer(const OpCall& call, const std::string& name, Reducer reducer) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    if (!isReducible(reducer, x->dtype))
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("{} takes numbers, not {}", name, dtypeText(x->dtype)));
    FW_TRY(Reduced r, reduced(call, *x));
    return inferredType({x->dtype, std::move(r.shape)});
}

// A small integer need not hold how many there are.
Expr meanOf(const Expr& sum, const Expr& count) {
    const DType dtype = sum.dtype();
    const DType wide = isFloat(dtype) ? dtype : dtype == DType::U64 ? DType::U64 : DType::I64;
    return castExpr(divExpr(castExpr(sum, wide), castExpr(count, wide)), dtype);
}

Result<OpInst> instantiate(const OpCall& call, const std::vector<TensorType>& outputs,
                           Reducer reducer, bool mean) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const Reduced r, reduced(call, *x));
    const bool keep = call.attrs.integer("keepdims", 1) != 0;
    Stage stage;
    Exprs indices, inner; // of x; of the kept axes without those of extent 1
    Expr count(1);
    for (std::size_t i = 0; i < x->rank(); ++i) {
        const Symbol var((r.axes[i] ? "r" : "i") + std::to_string(i));
        (r.axes[i] ? stage.reduce : stage.space).push_back({var, x->shape[i]});
        indices.push_back(varExpr(var));
        if (r.axes[i])
            count = count * x->shape[i];
        else
            inner.push_back(varExpr(var));
    }
    stage.reducer = reducer;
    stage.body = loadExpr("x", indices, x->dtype);
    OpInst inst;
    inst.inputs = {{Symbol("x"), *x}};
    inst.outputs = {{Symbol("y"), outputs[0]}};
    if (!mean && !keep) {
        stage.out = "y";
        stage.store = inner;
        inst.stages = {std::move(stage)};
        return inst;
    }
    // The reduction into a tensor of the kept axes, then a map into the result's shape.
    Shape kept;
    for (std::size_t i = 0; i < x->rank(); ++i)
        if (!r.axes[i])
            kept.push_back(x->shape[i]);
    inst.temporaries = {{Symbol("s"), {x->dtype, kept}}};
    stage.out = "s";
    stage.store = inner;
    Stage last;
    last.out = "y";
    Exprs from;
    for (std::size_t i = 0, o = 0; i < x->rank(); ++i) {
        if (r.axes[i] && !keep)
            continue;
        const Symbol var("j" + std::to_string(o++));
        last.space.push_back({var, r.axes[i] ? Expr(1) : x->shape[i]});
        last.store.push_back(varExpr(var));
        if (!r.axes[i])
            from.push_back(varExpr(var));
    }
    const Expr value = loadExpr("s", from, x->dtype);
    last.body = mean ? meanOf(value, count) : value;
    inst.stages = {std::move(stage), std::move(last)};
    return inst;
}

// Nodes of that type, whose axes are an operand from an opset on; some programs write the other
// form.
std::string clausesOf(std::string_view type, int since) {
    return fmt::format(R"(onnx "" "{0}" until {2} {{axes = operand 2 else all of x}}
onnx "" "{0}" until {2} {{axes = axes else all of x}}
onnx "" "{0}" since {1} {{axes = axes else all of x, noop_with_empty_axes == 0}}
onnx "" "{0}" since {1} {{axes = operand 2 else [] of x, noop_with_empty_axes == 1}}
onnx "" "{0}" since {1} {{axes = operand 2 else all of x, noop_with_empty_axes == 0}})",
                       type, since, since - 1);
}

struct Reduction {
    std::string name, doc;
    Reducer reducer;
    bool isMean = false;
};

NativeRow row(const Reduction& how, std::string_view type, int since = 18) {
    return NativeRow{how.name,
                     how.doc,
                     how.name + "(x: T[S...], attr axes: int[], attr keepdims: bool = true) -> y",
                     {"x"},
                     {"y"},
                     {{"axes", AttrType::IntList}, {"keepdims", AttrType::Bool, 1}},
                     [how](const OpCall& call) { return infer(call, how.name, how.reducer); },
                     [how](const OpCall& call, const std::vector<TensorType>& outputs) {
                         return instantiate(call, outputs, how.reducer, how.isMean);
                     }}
        .with(clausesOf(type, since));
}

} // namespace

std::vector<NativeRow> reductionOperators() {
    return {row({"reduce_sum", "the sum over axes", Reducer::Sum}, "ReduceSum", 13),
            row({"reduce_mean", "the mean over axes", Reducer::Sum, true}, "ReduceMean"),
            row({"reduce_max", "the largest over axes", Reducer::Max}, "ReduceMax"),
            row({"reduce_min", "the smallest over axes", Reducer::Min}, "ReduceMin"),
            row({"reduce_prod", "the product over axes", Reducer::Prod}, "ReduceProd")};
}

} // namespace fw
