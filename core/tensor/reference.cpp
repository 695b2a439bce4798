#include "tensor/reference.h"

#include "expr/scalar.h"
#include "tensor/register_rows.h"
#include "tensor/stage_box.h"
#include "tensor/work_limit.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

class Interpreter {
public:
    Interpreter(const OpInst& inst, const Bindings& symbols, const CancelToken& cancel,
                Precision precision)
        : m_inst(inst), m_symbols(symbols), m_cancel(cancel), m_precision(precision) {}

    Result<std::vector<TensorData>> run(const std::vector<const TensorData*>& inputs) {
        if (inputs.size() != m_inst.inputs.size())
            return makeDiag(DiagCode::InputMismatch,
                            fmt::format("{} operands are given, {} expected", inputs.size(),
                                        m_inst.inputs.size()));
        for (std::size_t i = 0; i < inputs.size(); ++i)
            FW_CHECK(bindInput(m_inst.inputs[i], *inputs[i]));
        for (std::size_t i = 0; i < inputs.size(); ++i)
            FW_CHECK(checkInput(m_inst.inputs[i], *inputs[i]));
        for (const auto* tensors : {&m_inst.outputs, &m_inst.temporaries})
            for (const TensorDecl& tensor : *tensors) {
                FW_TRY(m_tensors[tensor.name], unwritten(tensor, m_symbols));
            }
        for (const auto& [name, values] : m_tensors)
            m_readable[name] = &values;
        for (const Stage& stage : m_inst.stages)
            FW_CHECK(runStage(stage));
        std::vector<TensorData> out;
        for (const TensorDecl& tensor : m_inst.outputs)
            out.push_back(dataOf(m_tensors.at(tensor.name)));
        return out;
    }

private:
    Status bindInput(const TensorDecl& tensor, const TensorData& data) {
        if (data.dtype() != tensor.type.dtype || data.extents().size() != tensor.type.rank())
            return misfit(tensor, data);
        for (std::size_t i = 0; i < tensor.type.rank(); ++i)
            if (tensor.type.shape[i].isVar())
                m_symbols.emplace(tensor.type.shape[i]->symbol, data.extents()[i]);
        m_tensors[tensor.name] = valuesOf(data);
        return {};
    }

    static Diag misfit(const TensorDecl& tensor, const TensorData& data) {
        return makeDiag(DiagCode::InputMismatch,
                        fmt::format("{} is {}, {} expected", tensor.name.text(), data.type().text(),
                                    tensor.type.text()));
    }

    Status checkInput(const TensorDecl& tensor, const TensorData& data) const {
        for (std::size_t i = 0; i < tensor.type.rank(); ++i) {
            FW_TRY(const std::int64_t extent, extentOf(tensor.type.shape[i], m_symbols));
            if (extent != data.extents()[i])
                return misfit(tensor, data);
        }
        return {};
    }

    // Counts through a box; false when it is through.
    static bool advance(std::vector<Value>& registers, std::size_t first,
                        const std::vector<std::int64_t>& extents) {
        for (std::size_t i = extents.size(); i-- > 0;) {
            if (++registers[first + i].integer < extents[i])
                return true;
            registers[first + i].integer = 0;
        }
        return false;
    }

    Status runStage(const Stage& stage) {
        FW_TRY(const StageBox box, boxOf(stage, m_symbols));
        if (!pointsWithin(box.extents, mostReferencePoints))
            return tooManyPoints(stage, box.extents, mostReferencePoints);
        Values& out = m_tensors.at(stage.out);
        const RegisterProgram body(stage.body, box.variables, m_symbols, m_tensorOf, m_precision);
        const std::vector<std::int64_t> space = box.spaceExtents();
        if (isPlain(stage) && space == out.extents && !out.data.empty())
            if (std::optional<RegisterRows> rows = RegisterRows::of(body, space))
                return runRows(stage, *rows, body.registers(), space, out);
        return runPoints(stage, box, body, out);
    }

    // A map that stores where its axes stand.
    static bool isPlain(const Stage& stage) {
        return stage.isMap() &&
               std::equal(
                   stage.store.begin(), stage.store.end(), stage.space.begin(), stage.space.end(),
                   [](const Expr& index, const Axis& axis) { return index == varExpr(axis.var); });
    }

    Status runPoints(const Stage& stage, const StageBox& box, const RegisterProgram& body,
                     Values& out) const {
        const std::vector<std::int64_t> space = box.spaceExtents();
        const std::int64_t points = pointsWithin(space, mostReferencePoints).value_or(0);
        const Reduction reduction(stage, box, out.dtype);
        std::vector<Value> registers = body.registers();
        std::vector<StoreIndex> store;
        for (const Expr& index : stage.store)
            store.emplace_back(RegisterProgram(index, box.variables, m_symbols, m_tensorOf));
        for (std::int64_t point = 0; point < points; ++point) {
            if ((point & 1023) == 0 && m_cancel.cancelled())
                return cancelled();
            Value value;
            const Went went = stage.isMap() ? mapped(body, registers, value)
                                            : folded(reduction, body, registers, value);
            if (went == Went::Cancelled)
                return cancelled();
            const auto offset =
                went == Went::Well ? offsetOf(store, registers, box.space, out) : std::nullopt;
            if (!offset)
                return outsideOf(stage);
            out.data[*offset] = roundTo(value, out.dtype);
            advance(registers, 0, space);
        }
        return {};
    }

    enum class Went : std::uint8_t { Well, Outside, Cancelled };

    // An index of the left side, computed for every point.
    struct StoreIndex {
        explicit StoreIndex(RegisterProgram index)
            : program(std::move(index)), registers(program.registers()) {}

        RegisterProgram program;
        std::vector<Value> registers;
    };

    // What a stage folds at every point of its space.
    struct Reduction {
        Reduction(const Stage& stage, const StageBox& box, DType to)
            : reducer(stage.reducer), dtype(to), firstAxis(box.space), extents(box.reduceExtents()),
              folds(pointsWithin(extents, mostReferencePoints).value_or(0)),
              start(stage.isMap() ? Value{} : identity(stage)) {}

        Reducer reducer;
        DType dtype;
        std::size_t firstAxis;
        std::vector<std::int64_t> extents;
        std::int64_t folds;
        Value start;
    };

    static Went mapped(const RegisterProgram& body, std::vector<Value>& registers, Value& value) {
        if (!body.run(registers))
            return Went::Outside;
        value = registers[static_cast<std::size_t>(body.result())];
        return Went::Well;
    }

    Went folded(const Reduction& all, const RegisterProgram& body, std::vector<Value>& registers,
                Value& value) const {
        const auto result = static_cast<std::size_t>(body.result());
        const bool single = isSingle(m_precision, all.dtype);
        value = all.start;
        for (std::int64_t fold = 0; fold < all.folds; ++fold) {
            if ((fold & 65535) == 65535 && m_cancel.cancelled())
                return Went::Cancelled;
            if (!body.run(registers))
                return Went::Outside;
            value = combine(all.reducer, all.dtype, value, registers[result]);
            if (single)
                value = roundTo(value, DType::F32);
            advance(registers, all.firstAxis, all.extents);
        }
        return Went::Well;
    }

    // Where a point is stored; nothing: outside the tensor, or one that its indices read.
    static std::optional<std::size_t> offsetOf(std::vector<StoreIndex>& store,
                                               const std::vector<Value>& registers,
                                               std::size_t space, const Values& out) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < store.size(); ++d) {
            StoreIndex& at = store[d];
            std::copy_n(registers.begin(), space, at.registers.begin());
            if (!at.program.run(at.registers))
                return std::nullopt;
            const std::int64_t index =
                at.registers[static_cast<std::size_t>(at.program.result())].integer;
            if (index < 0 || index >= out.extents[d])
                return std::nullopt;
            offset = offset * out.extents[d] + index;
        }
        return static_cast<std::size_t>(offset);
    }

    // A map that fills its tensor in order, row by row.
    Status runRows(const Stage& stage, RegisterRows& rows, std::vector<Value> registers,
                   const std::vector<std::int64_t>& space, Values& out) const {
        const std::vector<std::int64_t> outer(
            space.begin(), space.begin() + static_cast<std::ptrdiff_t>(rows.outerAxes()));
        const std::size_t length = rows.rowLength();
        for (std::size_t start = 0; start < out.data.size(); start += length) {
            if (m_cancel.cancelled())
                return cancelled();
            for (std::size_t first = 0; first < length; first += RegisterRows::width) {
                const std::size_t count = std::min(RegisterRows::width, length - first);
                const Value* values = rows.run(registers, first, count);
                if (values == nullptr)
                    return outsideOf(stage);
                for (std::size_t i = 0; i < count; ++i)
                    out.data[start + first + i] = roundTo(values[i], out.dtype);
            }
            advance(registers, 0, outer);
        }
        return {};
    }

    static Diag cancelled() {
        return makeDiag(DiagCode::Cancelled, "the evaluation was cancelled");
    }

    static Diag outsideOf(const Stage& stage) {
        return makeDiag(DiagCode::UnsafeAccess,
                        fmt::format("the stage of {} reads or writes outside a tensor: {}",
                                    stage.out.text(), stage.body.text()));
    }

    static Value identity(const Stage& stage) {
        const Expr e = reducerIdentity(stage.reducer, stage.body.dtype());
        Value out;
        if (e.isInt())
            out.integer = e->integer;
        else
            out.real = e->real;
        return out;
    }

    static Value combine(Reducer reducer, DType dtype, Value a, Value b) {
        if (!isFloat(dtype)) {
            a.integer = applyIntegers(operationOf(reducer), dtype, a.integer, b.integer);
            return a;
        }
        switch (reducer) {
        case Reducer::None:
            return b;
        case Reducer::Sum:
            a.real += b.real;
            return a;
        case Reducer::Prod:
            a.real *= b.real;
            return a;
        case Reducer::Max:
            return std::isnan(a.real) || a.real >= b.real ? a : b;
        case Reducer::Min:
            return std::isnan(a.real) || a.real <= b.real ? a : b;
        }
        return a;
    }

    static ExprOp operationOf(Reducer reducer) {
        return reducer == Reducer::Sum    ? ExprOp::Add
               : reducer == Reducer::Prod ? ExprOp::Mul
               : reducer == Reducer::Max  ? ExprOp::Max
                                          : ExprOp::Min;
    }

    const OpInst& m_inst;
    Bindings m_symbols;
    CancelToken m_cancel;
    Precision m_precision;
    std::unordered_map<Symbol, Values> m_tensors;
    std::unordered_map<Symbol, const Values*> m_readable;
    const TensorOf m_tensorOf = [this](Symbol name) -> const Values* {
        const auto found = m_readable.find(name);
        return found == m_readable.end() ? nullptr : found->second;
    };
};

} // namespace

Result<std::vector<TensorData>> evaluate(const OpInst& inst,
                                         const std::vector<const TensorData*>& inputs,
                                         const Bindings& symbols, const CancelToken& cancel,
                                         Precision precision) {
    return Interpreter(inst, symbols, cancel, precision).run(inputs);
}

} // namespace fw
