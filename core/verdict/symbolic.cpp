#include "verdict/symbolic.h"

#include "base/numbers.h"
#include "expr/scalar.h"
#include "tensor/work_limit.h"

#include <algorithm>

namespace fw {

namespace {

SymbolicTensor numbersOf(const TensorData& data, Terms& terms) {
    SymbolicTensor out{data.dtype(), data.extents(), {}};
    if (isFloat(data.dtype()))
        for (const double value : data.toDoubles())
            out.data.push_back(terms.real(value, data.dtype()));
    else
        for (const std::int64_t value : data.toIntegers())
            out.data.push_back(terms.integer(value, data.dtype()));
    return out;
}

class Evaluation {
public:
    Evaluation(const OpInst& inst, Terms& terms, std::size_t mostTerms)
        : m_inst(inst), m_terms(terms), m_mostTerms(mostTerms) {}

    std::optional<std::vector<SymbolicTensor>>
    run(const std::vector<const SymbolicTensor*>& operands) {
        for (std::size_t i = 0; i < operands.size(); ++i)
            m_readable[m_inst.inputs[i].name] = operands[i];
        for (const auto* tensors : {&m_inst.outputs, &m_inst.temporaries})
            for (const TensorDecl& tensor : *tensors)
                if (!allocate(tensor))
                    return std::nullopt;
        for (auto& [name, tensor] : m_own)
            m_readable[name] = &tensor;
        for (const Stage& stage : m_inst.stages)
            if (!runStage(stage))
                return std::nullopt;
        std::vector<SymbolicTensor> out;
        for (const TensorDecl& tensor : m_inst.outputs) {
            out.push_back(std::move(m_own.at(tensor.name)));
            if (std::find(out.back().data.begin(), out.back().data.end(), unwritten) !=
                out.back().data.end())
                return std::nullopt;
        }
        return out;
    }

private:
    static constexpr TermId unwritten = -1;
    using Maybe = std::optional<TermId>;

    bool allocate(const TensorDecl& tensor) {
        SymbolicTensor out{tensor.type.dtype, {}, {}};
        std::size_t count = 1;
        for (const Dim& dim : tensor.type.shape) {
            const auto extent = evalIndex(dim, {});
            if (!extent || *extent < 0)
                return false;
            out.extents.push_back(*extent);
            count *= static_cast<std::size_t>(*extent);
            if (count > m_mostTerms)
                return false;
        }
        out.data.assign(count, unwritten);
        m_own[tensor.name] = std::move(out);
        return true;
    }

    bool runStage(const Stage& stage) {
        std::vector<Axis> axes = stage.space;
        axes.insert(axes.end(), stage.reduce.begin(), stage.reduce.end());
        std::vector<std::int64_t> extents;
        for (const Axis& axis : axes) {
            const auto extent = evalIndex(axis.extent, {});
            if (!extent)
                return false;
            extents.push_back(*extent);
        }
        constexpr std::int64_t most = std::int64_t(1) << 24;
        if (!pointsWithin(extents, most))
            return false;
        return overAxes(stage.space, extents, 0, [&] {
            std::vector<TermId> all;
            const bool whole = overAxes(stage.reduce, extents, stage.space.size(), [&] {
                const Maybe value = term(stage.body);
                if (value)
                    all.push_back(*value);
                return value && m_terms.size() < m_mostTerms;
            });
            return whole && store(stage, std::move(all));
        });
    }

    // False as soon as one visit is.
    template <class Visit>
    bool overAxes(const std::vector<Axis>& axes, const std::vector<std::int64_t>& extents,
                  std::size_t first, const Visit& visit, std::size_t depth = 0) {
        if (depth == axes.size())
            return visit();
        for (std::int64_t i = 0; i < extents[first + depth]; ++i) {
            m_at[axes[depth].var] = i;
            if (!overAxes(axes, extents, first, visit, depth + 1))
                return false;
        }
        return true;
    }

    bool store(const Stage& stage, std::vector<TermId> all) {
        SymbolicTensor& out = m_own.at(stage.out);
        const auto offset = offsetOf(stage.store, out);
        if (!offset)
            return false;
        out.data[*offset] = stage.isMap() ? all.at(0) : reduced(stage, std::move(all));
        return true;
    }

    TermId reduced(const Stage& stage, std::vector<TermId> all) {
        const DType dtype = stage.body.dtype();
        switch (stage.reducer) {
        case Reducer::Sum:
            return m_terms.sum(dtype, std::move(all));
        case Reducer::Prod:
            return m_terms.product(dtype, std::move(all));
        default:
            break;
        }
        if (all.empty())
            return *term(reducerIdentity(stage.reducer, dtype));
        return m_terms.apply(stage.reducer == Reducer::Max ? ExprOp::Max : ExprOp::Min, dtype,
                             std::move(all));
    }

    // Of indices inside the tensor.
    std::optional<std::size_t> offsetOf(const Exprs& indices, const SymbolicTensor& tensor) {
        std::size_t out = 0;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            const auto index = number(indices[d]);
            if (!index || *index < 0 || *index >= tensor.extents[d])
                return std::nullopt;
            out = out * static_cast<std::size_t>(tensor.extents[d]) +
                  static_cast<std::size_t>(*index);
        }
        return out;
    }

    std::optional<std::int64_t> number(const Expr& e) {
        const Maybe value = term(e);
        if (!value || m_terms[*value].kind != Term::Kind::Integer)
            return std::nullopt;
        return m_terms[*value].integer;
    }

    Maybe term(const Expr& e) {
        switch (e.op()) {
        case ExprOp::Int:
            return isFloat(e.dtype()) ? m_terms.real(static_cast<double>(e->integer), e.dtype())
                                      : m_terms.integer(e->integer, e.dtype());
        case ExprOp::Float:
            return m_terms.real(e->real, e.dtype());
        case ExprOp::Var: {
            const auto found = m_at.find(e->symbol);
            return found == m_at.end() ? Maybe() : m_terms.integer(found->second, DType::I64);
        }
        case ExprOp::Load:
            return load(e);
        case ExprOp::Pad: {
            const SymbolicTensor& tensor = *m_readable.at(e.arg(0)->symbol);
            for (std::size_t d = 0; d < e.arg(0).args().size(); ++d) {
                const auto index = number(e.arg(0).arg(d));
                if (!index)
                    return std::nullopt;
                if (*index < 0 || *index >= tensor.extents[d])
                    return term(e.arg(1));
            }
            return load(e.arg(0));
        }
        case ExprOp::Select:
            if (const Maybe condition = term(e.arg(0));
                condition && m_terms[*condition].kind == Term::Kind::Integer)
                return term(e.arg(m_terms[*condition].integer != 0 ? 1 : 2));
            break;
        default:
            break;
        }
        std::vector<TermId> args;
        bool integers = true;
        for (const Expr& arg : e.args()) {
            const Maybe value = term(arg);
            if (!value)
                return std::nullopt;
            integers = integers && m_terms[*value].kind == Term::Kind::Integer;
            args.push_back(*value);
        }
        if (integers)
            if (const Maybe folded = ofIntegers(e, args))
                return folded;
        return e.op() == ExprOp::Call ? m_terms.call(e->fn, e.dtype(), std::move(args))
                                      : m_terms.apply(e.op(), e.dtype(), std::move(args));
    }

    Maybe load(const Expr& e) {
        const SymbolicTensor& tensor = *m_readable.at(e->symbol);
        const auto offset = offsetOf(e.args(), tensor);
        if (!offset || tensor.data[*offset] == unwritten)
            return std::nullopt;
        return tensor.data[*offset];
    }

    static std::optional<std::int64_t> difference(std::int64_t a, std::int64_t b) {
        std::int64_t out = 0;
        return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    }
    // What would wrap is left as it is: proofs are over all integers.
    Maybe exactly(const std::optional<std::int64_t>& value, DType dtype) {
        return value && wrapTo(dtype, *value) == *value ? Maybe(m_terms.integer(*value, dtype))
                                                        : std::nullopt;
    }

    Maybe ofIntegers(const Expr& e, const std::vector<TermId>& args) {
        const auto value = [&](std::size_t i) { return m_terms[args[i]].integer; };
        const DType operand = m_terms[args[0]].dtype;
        switch (e.op()) {
        case ExprOp::Add:
            return exactly(checkedAdd(value(0), value(1)), e.dtype());
        case ExprOp::Sub:
            return exactly(difference(value(0), value(1)), e.dtype());
        case ExprOp::Mul:
            return exactly(checkedMul(value(0), value(1)), e.dtype());
        case ExprOp::Div:
        case ExprOp::FloorDiv:
        case ExprOp::Mod:
        case ExprOp::Min:
        case ExprOp::Max:
        case ExprOp::Eq:
        case ExprOp::Ne:
        case ExprOp::Lt:
        case ExprOp::Le:
        case ExprOp::And:
        case ExprOp::Or:
            return m_terms.integer(applyIntegers(e.op(), operand, value(0), value(1)), e.dtype());
        case ExprOp::Not:
            return m_terms.integer(value(0) == 0 ? 1 : 0, DType::Bool);
        case ExprOp::Neg:
            return exactly(difference(0, value(0)), e.dtype());
        case ExprOp::Cast:
            if (isFloat(e.dtype()))
                return m_terms.real(realOf(operand, value(0), e.dtype()), e.dtype());
            return m_terms.integer(e.dtype() == DType::Bool ? value(0) != 0 : value(0), e.dtype());
        default:
            return std::nullopt;
        }
    }

    const OpInst& m_inst;
    Terms& m_terms;
    const std::size_t m_mostTerms;
    Bindings m_at;
    std::unordered_map<Symbol, SymbolicTensor> m_own;
    std::unordered_map<Symbol, const SymbolicTensor*> m_readable;
};

} // namespace

SymbolicTensor leavesOf(const TensorType& type, std::int64_t first, Terms& terms) {
    SymbolicTensor out{type.dtype, {}, {}};
    std::int64_t count = 1;
    for (const Dim& dim : type.shape) {
        out.extents.push_back(dim.asInt().value_or(0));
        count *= out.extents.back();
    }
    for (std::int64_t i = 0; i < count; ++i)
        out.data.push_back(terms.leaf(first + i, type.dtype));
    return out;
}

std::optional<std::vector<SymbolicTensor>>
evaluateTerms(const Graph& graph, const std::vector<SymbolicTensor>& inputs,
              const std::map<NodeId, SymbolicTensor>& constants, Terms& terms,
              std::size_t mostTerms) {
    std::map<ValueRef, SymbolicTensor> known;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i)
        known[{graph.inputs()[i], 0}] = inputs.at(i);
    for (const NodePtr& node : graph.nodes()) {
        if (node->isInput())
            continue;
        if (node->isConstant()) {
            const auto given = constants.find(node->id);
            known[{node->id, 0}] =
                given != constants.end() ? given->second : numbersOf(*node->data, terms);
            continue;
        }
        const Operator* op = graph.operators().find(node->op);
        if (op == nullptr || node->isUnknown())
            return std::nullopt;
        const Result<OpInst> inst = op->instantiate(callOf(graph, *node));
        if (!inst)
            return std::nullopt;
        std::vector<const SymbolicTensor*> operands;
        for (const ValueRef& input : node->inputs)
            if (input.valid())
                operands.push_back(&known.at(input));
        auto results = Evaluation(*inst, terms, mostTerms).run(operands);
        if (!results)
            return std::nullopt;
        for (std::size_t i = 0; i < results->size(); ++i)
            known[{node->id, static_cast<int>(i)}] = std::move((*results)[i]);
    }
    std::vector<SymbolicTensor> out;
    for (const NamedValue& result : graph.results())
        out.push_back(known.at(result.value));
    return out;
}

} // namespace fw
