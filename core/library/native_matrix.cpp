// Matrices as a whole.
#include "library/native.h"

#include <fmt/format.h>

#include <functional>

namespace fw {

namespace {

constexpr std::int64_t largestMatrix = 32; // rows: one step of the elimination each

Result<std::int64_t> rowsOf(const TensorType& x) {
    const auto rows = x.rank() < 2 ? std::nullopt : x.shape.back().asInt();
    if (x.rank() >= 2 && !(x.shape[x.rank() - 2] == x.shape.back()))
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("the matrices of {} are not square", x.text()));
    if (!rows || *rows > largestMatrix)
        return makeDiag(
            DiagCode::UnsupportedAttribute,
            fmt::format("determinants of {}: matrices of a fixed size up to {} rows are "
                        "supported",
                        x.text(), largestMatrix));
    return *rows;
}

Result<Inferred> inferDet(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    if (!isFloat(x->dtype))
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("det takes floats, not {}", dtypeText(x->dtype)));
    FW_TRY([[maybe_unused]] const std::int64_t rows, rowsOf(*x));
    return inferredType({x->dtype, {x->shape.begin(), x->shape.end() - 2}});
}

// Elimination, column by column, with the largest entry of the column brought to the diagonal.
class Elimination {
public:
    Elimination(const TensorType& x, std::int64_t rows) : m_type(x), m_rows(rows) {
        m_inst.inputs = {{Symbol("x"), x}};
    }

    OpInst run(const TensorType& output) {
        Symbol matrix("x");
        Expr product = floatExpr(1, m_type.dtype);
        std::vector<std::pair<Symbol, Symbol>> steps; // the row of the pivot, the matrix then
        for (std::int64_t k = 0; k < m_rows; ++k) {
            const Symbol pivot = pivotOf(matrix, k);
            matrix = swapped(matrix, pivot, k);
            steps.emplace_back(pivot, matrix);
            if (k + 1 < m_rows)
                matrix = cleared(matrix, k);
        }
        enterStage();
        for (std::int64_t k = 0; k < m_rows; ++k) {
            const auto& [pivot, then] = steps[static_cast<std::size_t>(k)];
            product = product * entry(then, Expr(k), Expr(k));
            product = selectExpr(eqExpr(place(pivot), Expr(k)), product, -product);
        }
        m_inst.outputs = {{Symbol("y"), output}};
        Stage stage;
        stage.out = Symbol("y");
        stage.space = m_batch;
        stage.store = varsOf(m_batch);
        stage.body = product;
        m_inst.stages.push_back(std::move(stage));
        return std::move(m_inst);
    }

private:
    // Axes of a stage have names of their own.
    Axis axis(const Dim& extent) { return {Symbol("j" + std::to_string(m_axes++)), extent}; }
    void enterStage() {
        m_batch.clear();
        for (std::size_t i = 0; i + 2 < m_type.rank(); ++i)
            m_batch.push_back(axis(m_type.shape[i]));
    }
    Expr place(Symbol pivot) const { return loadExpr(pivot, varsOf(m_batch), DType::I64); }

    Expr entry(Symbol matrix, const Expr& row, const Expr& column) const {
        Exprs at = varsOf(m_batch);
        at.push_back(row);
        at.push_back(column);
        return loadExpr(matrix, std::move(at), m_type.dtype);
    }

    Symbol add(const std::string& name, DType dtype, std::vector<Axis> space, Reducer reducer,
               std::vector<Axis> reduce, Expr body) {
        const Symbol symbol(name);
        Shape shape;
        for (const Axis& axis : space)
            shape.push_back(axis.extent);
        m_inst.temporaries.push_back({symbol, {dtype, std::move(shape)}});
        Stage stage;
        stage.out = symbol;
        stage.store = varsOf(space);
        stage.space = std::move(space);
        stage.reducer = reducer;
        stage.reduce = std::move(reduce);
        stage.body = std::move(body);
        m_inst.stages.push_back(std::move(stage));
        return symbol;
    }

    // The row of the largest entry of column k, of those from row k on.
    Symbol pivotOf(Symbol matrix, std::int64_t k) {
        enterStage();
        Axis row = axis(Expr(m_rows - k));
        Expr at = varExpr(row.var) + Expr(k);
        Expr size = callExpr(MathFn::Abs, {entry(matrix, at, Expr(k))});
        const Symbol largest =
            add(fmt::format("largest{}", k), m_type.dtype, m_batch, Reducer::Max, {row}, size);
        enterStage();
        row = axis(Expr(m_rows - k));
        at = varExpr(row.var) + Expr(k);
        size = callExpr(MathFn::Abs, {entry(matrix, at, Expr(k))});
        const Expr isLargest = eqExpr(size, loadExpr(largest, varsOf(m_batch), m_type.dtype));
        return add(fmt::format("pivot{}", k), DType::I64, m_batch, Reducer::Min, {row},
                   selectExpr(isLargest, at, Expr(m_rows - 1)));
    }

    // A new matrix of the same size, element by element.
    Symbol changed(const std::string& name,
                   const std::function<Expr(const Expr& row, const Expr& column)>& body) {
        enterStage();
        std::vector<Axis> axes = m_batch;
        axes.push_back(axis(Expr(m_rows)));
        axes.push_back(axis(Expr(m_rows)));
        const Exprs at = varsOf(axes);
        return add(name, m_type.dtype, axes, Reducer::None, {}, body(at[at.size() - 2], at.back()));
    }

    Symbol swapped(Symbol matrix, Symbol pivot, std::int64_t k) {
        return changed(fmt::format("swapped{}", k), [&](const Expr& m, const Expr& n) {
            const Expr from = maxExpr(minExpr(place(pivot), Expr(m_rows - 1)), Expr(0));
            return selectExpr(eqExpr(m, Expr(k)), entry(matrix, from, n),
                              selectExpr(eqExpr(m, place(pivot)), entry(matrix, Expr(k), n),
                                         entry(matrix, m, n)));
        });
    }

    Symbol cleared(Symbol matrix, std::int64_t k) {
        return changed(fmt::format("cleared{}", k), [&](const Expr& m, const Expr& n) {
            const Expr pivot = entry(matrix, Expr(k), Expr(k)), zero = floatExpr(0, m_type.dtype);
            const Expr factor =
                selectExpr(eqExpr(pivot, zero), zero, divExpr(entry(matrix, m, Expr(k)), pivot));
            return selectExpr(ltExpr(Expr(k), m),
                              entry(matrix, m, n) - factor * entry(matrix, Expr(k), n),
                              entry(matrix, m, n));
        });
    }

    TensorType m_type;
    std::int64_t m_rows;
    std::vector<Axis> m_batch; // of the stage that is being written
    std::size_t m_axes = 0;
    OpInst m_inst;
};

Result<OpInst> instantiateDet(const OpCall& call, const std::vector<TensorType>& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const std::int64_t rows, rowsOf(*x));
    return Elimination(*x, rows).run(outputs[0]);
}

} // namespace

std::vector<NativeRow> matrixOperators() {
    return {NativeRow{"det",
                      "the determinant of each matrix",
                      "det(x: T[B..., N, N]) -> y: T[B...]",
                      {"x"},
                      {"y"},
                      {},
                      inferDet,
                      instantiateDet}
                .with("onnx \"\" \"Det\" since 11")};
}

} // namespace fw
