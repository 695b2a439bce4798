// Indices of several parts, held in the last axis of a tensor. Negative parts count from the end.
#include "library/native.h"
#include "tensor/demand.h"

#include <fmt/format.h>

namespace fw {

namespace {

// Which rows of x are meant: `batch` axes that both share, `depth` parts of an index behind them.
struct Rows {
    const TensorType* x = nullptr;
    const TensorType* index = nullptr;
    std::size_t batch = 0;
    std::size_t depth = 0;

    std::size_t from() const { return batch + depth; } // the first axis of a row
    Shape places() const { return {index->shape.begin(), index->shape.end() - 1}; }
    Shape row() const {
        return {x->shape.begin() + static_cast<std::ptrdiff_t>(from()), x->shape.end()};
    }
    Shape found() const { // a row for every place
        Shape out = places();
        const Shape inner = row();
        out.insert(out.end(), inner.begin(), inner.end());
        return out;
    }
};

Result<Rows> rowsOf(const OpCall& call, std::string_view op) {
    Rows out;
    FW_TRY(out.x, operand(call, 0, "x"));
    FW_TRY(out.index, operand(call, 1, "idx"));
    const std::int64_t batch = call.attrs.integer("batch_dims", 0);
    const auto rank = static_cast<std::int64_t>(out.index->rank());
    const auto depth = rank == 0 ? std::nullopt : out.index->shape.back().asInt();
    if (!isInteger(out.index->dtype))
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("{}: {} holds no integers", op, out.index->text()));
    if (!depth || *depth < 0 || batch < 0 || batch >= rank ||
        *depth > static_cast<std::int64_t>(out.x->rank()) - batch)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} holds no indices into {}, with {} shared axes",
                                    out.index->text(), out.x->text(), batch));
    out.batch = static_cast<std::size_t>(batch);
    out.depth = static_cast<std::size_t>(*depth);
    for (std::size_t i = 0; i < out.batch; ++i)
        if (!(out.x->shape[i] == out.index->shape[i]))
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("axis {} of {} and of {} is not the same", i, out.x->text(),
                                        out.index->text()));
    return out;
}

Dim product(const Shape& shape) {
    Dim out = intExpr(1);
    for (const Dim& dim : shape)
        out = out * dim;
    return out;
}

// Part `part` of the index at a place, counted from the beginning.
Expr indexPart(const Rows& rows, Exprs place, std::size_t part) {
    place.emplace_back(static_cast<std::int64_t>(part));
    const Expr read =
        castExpr(loadExpr(Symbol("idx"), std::move(place), rows.index->dtype), DType::I64);
    return selectExpr(ltExpr(read, Expr(0)), read + rows.x->shape[rows.batch + part], read);
}

Result<Inferred> inferGather(const OpCall& call) {
    FW_TRY(const Rows rows, rowsOf(call, "gather_nd"));
    Inferred out = inferredType({rows.x->dtype, rows.found()});
    for (std::size_t i = rows.batch; i < rows.from(); ++i)
        FW_CHECK(demand(
            out.assumptions,
            orExpr(leExpr(Expr(1), rows.x->shape[i]),
                   eqExpr(product(out.outputs[0].shape), Expr(0))),
            fmt::format("gather_nd: axis {} of {} must have an element", i, rows.x->text())));
    return out;
}

Result<OpInst> instantiateGather(const OpCall& call, const std::vector<TensorType>& outputs) {
    FW_TRY(const Rows rows, rowsOf(call, "gather_nd"));
    const Exprs at = varsOf(axesOf(outputs[0].shape));
    const auto behind = at.begin() + static_cast<std::ptrdiff_t>(rows.index->rank() - 1);
    const Exprs place(at.begin(), behind);
    Exprs from(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(rows.batch));
    for (std::size_t part = 0; part < rows.depth; ++part) {
        const Dim& extent = rows.x->shape[rows.batch + part];
        from.push_back(maxExpr(minExpr(indexPart(rows, place, part), extent - Expr(1)), Expr(0)));
    }
    from.insert(from.end(), behind, at.end());
    return mapInst({{Symbol("x"), *rows.x}, {Symbol("idx"), *rows.index}}, outputs[0],
                   loadExpr(Symbol("x"), std::move(from), rows.x->dtype));
}

enum class Scatter : std::uint8_t { Write, Add, Mul, Max, Min };

Result<Scatter> scatterOf(const OpCall& call) {
    const std::string name = call.attrs.text("reduction", "none");
    constexpr std::string_view names[] = {"none", "add", "mul", "max", "min"};
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (names[i] == name)
            return static_cast<Scatter>(i);
    return makeDiag(DiagCode::UnsupportedAttribute,
                    fmt::format("reduction = \"{}\" is none of none, add, mul, max, min", name));
}

Result<Inferred> inferScatter(const OpCall& call) {
    FW_TRY(const Rows rows, rowsOf(call, "scatter_nd"));
    FW_CHECK(scatterOf(call));
    FW_TRY(const TensorType* updates, operand(call, 2, "u"));
    if (updates->dtype != rows.x->dtype)
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("{} cannot be put into {}", updates->text(), rows.x->text()));
    if (updates->shape != rows.found())
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} is given where {} is needed", updates->text(),
                                    shapeText(rows.found())));
    return inferredType(*rows.x);
}

// Which update is the last one for each row of x, as a row-major place; -1 where there is none.
Stage lastUpdates(Symbol name, std::vector<Axis> rowAxes, std::vector<Axis> places,
                  const Expr& hit) {
    Expr place(0);
    for (const Axis& axis : places)
        place = place * axis.extent + varExpr(axis.var);
    Stage stage;
    stage.out = name;
    stage.store = varsOf(rowAxes);
    stage.space = std::move(rowAxes);
    stage.reducer = places.empty() ? Reducer::None : Reducer::Max;
    stage.reduce = std::move(places);
    stage.body = selectExpr(hit, place, Expr(-1));
    return stage;
}

// Of truths a sum is whether any holds, as the largest is, and a product whether all do.
Reducer reducerOf(Scatter kind, DType dtype) {
    const bool ofTruths = dtype == DType::Bool;
    switch (kind) {
    case Scatter::Add:
        return ofTruths ? Reducer::Max : Reducer::Sum;
    case Scatter::Mul:
        return ofTruths ? Reducer::Min : Reducer::Prod;
    default:
        return kind == Scatter::Max ? Reducer::Max : Reducer::Min;
    }
}

// What both ways of scattering are made of.
struct ScatterParts {
    ScatterParts(const Rows& from, const TensorType& out)
        : rows(from), result(out), all(axesOf(out.shape)), at(varsOf(all)) {
        for (const Dim& extent : rows.places())
            places.push_back({Symbol("r" + std::to_string(places.size())), extent});
        for (const Axis& axis : all)
            before.push_back({Symbol("j" + std::to_string(before.size())), axis.extent});
        for (std::size_t part = 0; part < rows.depth; ++part)
            hit = andExpr(hit,
                          eqExpr(indexPart(rows, varsOf(places), part), varExpr(before[part].var)));
    }
    DType dtype() const { return rows.x->dtype; }
    Expr old() const { return loadExpr(Symbol("x"), at, dtype()); }

    const Rows& rows;
    const TensorType& result;
    std::vector<Axis> all, places;
    std::vector<Axis> before; // of the stage before, which has axes of its own
    Exprs at;
    Expr hit = boolExpr(true);
};

// The last update of each place counts.
OpInst writtenScatter(const ScatterParts& parts) {
    const auto depth = static_cast<std::ptrdiff_t>(parts.rows.depth);
    const Symbol name("last");
    const auto inner = parts.at.begin() + depth;
    const Exprs row(parts.at.begin(), inner);
    const Expr last = loadExpr(name, row, DType::I64), old = parts.old();
    Exprs from;
    Dim stride = intExpr(1);
    for (std::size_t i = parts.places.size(); i-- > 0;) {
        const Expr whole = floorDivExpr(last, stride);
        from.insert(from.begin(), i == 0 ? whole : modExpr(whole, parts.places[i].extent));
        stride = stride * parts.places[i].extent;
    }
    from.insert(from.end(), inner, parts.at.end());
    const Expr update = loadExpr(Symbol("u"), std::move(from), parts.dtype());
    OpInst inst =
        mapInst({}, parts.result, selectExpr(ltExpr(last, Expr(0)), old, padExpr(update, old)));
    const Shape shape(parts.result.shape.begin(), parts.result.shape.begin() + depth);
    const std::vector<Axis> rowAxes(parts.before.begin(), parts.before.begin() + depth);
    inst.temporaries.push_back({name, {DType::I64, shape}});
    inst.stages.insert(inst.stages.begin(), lastUpdates(name, rowAxes, parts.places, parts.hit));
    return inst;
}

OpInst reducedScatter(const ScatterParts& parts, Reducer reducer) {
    const Symbol name("met");
    const Exprs own = varsOf(parts.before);
    Exprs from = varsOf(parts.places);
    from.insert(from.end(), own.begin() + static_cast<std::ptrdiff_t>(parts.rows.depth), own.end());
    const DType dtype = parts.dtype();
    const Expr update = loadExpr(Symbol("u"), std::move(from), dtype);
    const bool keeps = reducer == Reducer::Max || reducer == Reducer::Min; // x itself is neutral
    Stage stage;
    stage.out = name;
    stage.space = parts.before;
    stage.store = own;
    stage.reducer = parts.places.empty() ? Reducer::None : reducer;
    stage.reduce = parts.places;
    stage.body =
        selectExpr(parts.hit, update,
                   keeps ? loadExpr(Symbol("x"), own, dtype) : reducerIdentity(reducer, dtype));
    OpInst inst = mapInst({}, parts.result,
                          reducerCombine(reducer, parts.old(), loadExpr(name, parts.at, dtype)));
    inst.temporaries.push_back({name, parts.result});
    inst.stages.insert(inst.stages.begin(), std::move(stage));
    return inst;
}

Result<OpInst> instantiateScatter(const OpCall& call, const std::vector<TensorType>& outputs) {
    FW_TRY(const Rows rows, rowsOf(call, "scatter_nd"));
    FW_TRY(const Scatter kind, scatterOf(call));
    FW_TRY(const TensorType* updates, operand(call, 2, "u"));
    const ScatterParts parts(rows, outputs[0]);
    OpInst inst = kind == Scatter::Write ? writtenScatter(parts)
                                         : reducedScatter(parts, reducerOf(kind, parts.dtype()));
    inst.inputs = {{Symbol("x"), *rows.x}, {Symbol("idx"), *rows.index}, {Symbol("u"), *updates}};
    return inst;
}

} // namespace

std::vector<NativeRow> indexOperators() {
    return {
        NativeRow{
            "gather_nd",
            "rows picked by indices of L parts; the first `batch_dims` axes are the same in both",
            "gather_nd(x: T[B..., D..., S...], idx: I[B..., J..., L], attr batch_dims: int = 0) "
            "-> y: T[B..., J..., S...]",
            {"x", "idx"},
            {"y"},
            {{"batch_dims", AttrType::Int, std::int64_t{0}}},
            inferGather,
            instantiateGather}
            .with("onnx \"\" \"GatherND\" since 11"),
        NativeRow{"scatter_nd",
                  "x with the rows of u where indices of L parts say; of several the last one "
                  "stays, or all are added, multiplied, or the largest or smallest counts",
                  "scatter_nd(x: T[D..., S...], idx: I[J..., L], u: T[J..., S...], attr "
                  "reduction: text = \"none\") -> y: T[D..., S...]",
                  {"x", "idx", "u"},
                  {"y"},
                  {{"reduction", AttrType::Text, std::string("none")}},
                  inferScatter,
                  instantiateScatter}
            .with("onnx \"\" \"ScatterND\" since 11 until 15 onnx \"\" \"ScatterND\" since 16"),
    };
}

} // namespace fw
