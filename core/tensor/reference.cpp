#include "tensor/reference.h"

#include "base/numbers.h"
#include "expr/scalar.h"
#include "tensor/register_rows.h"
#include "tensor/work_limit.h"

#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

// A tensor of an operator under the reference has at most this many elements.
constexpr std::int64_t maxElements = std::int64_t(1) << 31;

Values fromData(const TensorData& data) {
    Values out;
    out.dtype = data.dtype();
    out.extents = data.extents();
    out.data.resize(data.count());
    if (isFloat(data.dtype())) {
        const std::vector<double> values = data.toDoubles();
        for (std::size_t i = 0; i < values.size(); ++i)
            out.data[i].real = values[i];
    } else {
        const std::vector<std::int64_t> values = data.toIntegers();
        for (std::size_t i = 0; i < values.size(); ++i)
            out.data[i].integer = values[i];
    }
    return out;
}

TensorData toData(const Values& values) {
    if (isFloat(values.dtype)) {
        std::vector<double> out(values.data.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = values.data[i].real;
        return dataFromDoubles(values.dtype, values.extents, out);
    }
    std::vector<std::int64_t> out(values.data.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = values.data[i].integer;
    return dataFromIntegers(values.dtype, values.extents, out);
}

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
            for (const TensorDecl& tensor : *tensors)
                FW_CHECK(allocate(tensor));
        for (const auto& [name, values] : m_tensors)
            m_readable[name] = &values;
        for (const Stage& stage : m_inst.stages)
            FW_CHECK(runStage(stage));
        std::vector<TensorData> out;
        for (const TensorDecl& tensor : m_inst.outputs)
            out.push_back(toData(m_tensors.at(tensor.name)));
        return out;
    }

private:
    Status bindInput(const TensorDecl& tensor, const TensorData& data) {
        if (data.dtype() != tensor.type.dtype || data.extents().size() != tensor.type.rank())
            return misfit(tensor, data);
        for (std::size_t i = 0; i < tensor.type.rank(); ++i)
            if (tensor.type.shape[i].isVar())
                m_symbols.emplace(tensor.type.shape[i]->symbol, data.extents()[i]);
        m_tensors[tensor.name] = fromData(data);
        return {};
    }

    static Diag misfit(const TensorDecl& tensor, const TensorData& data) {
        return makeDiag(DiagCode::InputMismatch,
                        fmt::format("{} is {}, {} expected", tensor.name.text(), data.type().text(),
                                    tensor.type.text()));
    }

    Result<std::int64_t> dim(const Expr& e) const {
        const auto value = evalIndex(e, m_symbols);
        if (!value)
            return makeDiag(DiagCode::DimUnbound,
                            fmt::format("the dimension {} has no value", e.text()));
        return *value;
    }

    Status checkInput(const TensorDecl& tensor, const TensorData& data) const {
        for (std::size_t i = 0; i < tensor.type.rank(); ++i) {
            FW_TRY(const std::int64_t extent, dim(tensor.type.shape[i]));
            if (extent != data.extents()[i])
                return misfit(tensor, data);
        }
        return {};
    }

    Status allocate(const TensorDecl& tensor) {
        Values values;
        values.dtype = tensor.type.dtype;
        for (const Dim& extent : tensor.type.shape) {
            FW_TRY(const std::int64_t value, dim(extent));
            values.extents.push_back(value);
        }
        FW_TRY(const std::int64_t count, checkedCount(values.extents));
        if (count > maxElements)
            return makeDiag(DiagCode::DimOverflow,
                            fmt::format("{} has {} elements, too many for the reference",
                                        tensor.name.text(), count));
        Value nothing;
        nothing.integer = 0;
        if (isFloat(values.dtype))
            nothing.real = std::nan(""); // an element that no stage writes shows
        values.data.assign(static_cast<std::size_t>(count), nothing);
        m_tensors[tensor.name] = std::move(values);
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
        std::vector<Symbol> variables;
        std::vector<std::int64_t> space, reduce;
        for (const Axis& axis : stage.space) {
            FW_TRY(const std::int64_t extent, dim(axis.extent));
            variables.push_back(axis.var);
            space.push_back(extent);
        }
        for (const Axis& axis : stage.reduce) {
            FW_TRY(const std::int64_t extent, dim(axis.extent));
            variables.push_back(axis.var);
            reduce.push_back(extent);
        }
        std::vector<std::int64_t> all = space;
        all.insert(all.end(), reduce.begin(), reduce.end());
        if (!pointsWithin(all, mostReferencePoints))
            return tooManyPoints(stage, all, mostReferencePoints);
        const std::int64_t points = pointsWithin(space, mostReferencePoints).value_or(0);
        const std::int64_t folds = pointsWithin(reduce, mostReferencePoints).value_or(0);
        Values& out = m_tensors.at(stage.out);
        const RegisterProgram body(stage.body, variables, m_symbols, m_tensorOf, m_precision);
        std::vector<RegisterProgram> store;
        for (const Expr& index : stage.store)
            store.emplace_back(index, variables, m_symbols, m_tensorOf);
        std::vector<Value> registers = body.registers();
        const bool plain = stage.isMap() && space == out.extents &&
                           std::equal(stage.store.begin(), stage.store.end(), stage.space.begin(),
                                      stage.space.end(), [](const Expr& index, const Axis& axis) {
                                          return index == varExpr(axis.var);
                                      });
        if (plain && points > 0)
            if (std::optional<RegisterRows> rows = RegisterRows::of(body, space))
                return runRows(stage, *rows, std::move(registers), space, out);
        std::vector<std::vector<Value>> storeRegisters;
        for (const RegisterProgram& program : store)
            storeRegisters.push_back(program.registers());
        const Diag outside = outsideOf(stage);
        const std::size_t result = static_cast<std::size_t>(body.result());
        for (std::int64_t point = 0; point < points; ++point) {
            if ((point & 1023) == 0 && m_cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "the evaluation was cancelled");
            Value value;
            if (stage.isMap()) {
                if (!body.run(registers))
                    return outside;
                value = registers[result];
            } else {
                value = identity(stage);
                for (std::int64_t fold = 0; fold < folds; ++fold) {
                    if ((fold & 65535) == 65535 && m_cancel.cancelled())
                        return makeDiag(DiagCode::Cancelled, "the evaluation was cancelled");
                    if (!body.run(registers))
                        return outside;
                    value = combine(stage.reducer, out.dtype, value, registers[result]);
                    if (isSingle(m_precision, out.dtype))
                        value = roundTo(value, DType::F32);
                    advance(registers, space.size(), reduce);
                }
            }
            std::int64_t offset = 0;
            for (std::size_t d = 0; d < store.size(); ++d) {
                std::copy_n(registers.begin(), space.size(), storeRegisters[d].begin());
                if (!store[d].run(storeRegisters[d]))
                    return outside;
                const std::int64_t index =
                    storeRegisters[d][static_cast<std::size_t>(store[d].result())].integer;
                if (index < 0 || index >= out.extents[d])
                    return outside;
                offset = offset * out.extents[d] + index;
            }
            out.data[static_cast<std::size_t>(offset)] = roundTo(value, out.dtype);
            advance(registers, 0, space);
        }
        return {};
    }

    // A map that fills its tensor in order, row by row.
    Status runRows(const Stage& stage, RegisterRows& rows, std::vector<Value> registers,
                   const std::vector<std::int64_t>& space, Values& out) const {
        const std::vector<std::int64_t> outer(
            space.begin(), space.begin() + static_cast<std::ptrdiff_t>(rows.outerAxes()));
        const std::size_t length = rows.rowLength();
        for (std::size_t start = 0; start < out.data.size(); start += length) {
            if (m_cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "the evaluation was cancelled");
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
