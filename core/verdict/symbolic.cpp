#include "verdict/symbolic.h"

#include "expr/evaluate.h"
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

class SymbolicEvaluation : private Evaluate<SymbolicEvaluation, std::optional<TermId>> {
public:
    SymbolicEvaluation(const OpInst& inst, Terms& terms, std::size_t mostTerms)
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
    friend Evaluate;
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
        if (stage.isMap() && stage.reduce.empty())
            return overAxes(stage.space, extents, 0, [&] {
                const Maybe value = of(stage.body);
                return value && m_terms.size() < m_mostTerms && store(stage, *value);
            });
        return overAxes(stage.space, extents, 0, [&] {
            std::vector<TermId> all;
            const bool whole = overAxes(stage.reduce, extents, stage.space.size(), [&] {
                const Maybe value = of(stage.body);
                if (value)
                    all.push_back(*value);
                return value && m_terms.size() < m_mostTerms;
            });
            return whole &&
                   store(stage, stage.isMap() ? all.at(0) : reduced(stage, std::move(all)));
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

    bool store(const Stage& stage, TermId value) {
        SymbolicTensor& out = m_own.at(stage.out);
        const auto offset = offsetOf(stage.store, out);
        if (!offset)
            return false;
        out.data[*offset] = value;
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
            return *of(reducerIdentity(stage.reducer, dtype));
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
        if (const auto known = evalIndex(e, m_at)) // of places on axes: without a term for each
            return known;
        const Maybe value = of(e);
        if (!value || m_terms[*value].kind != Term::Kind::Integer)
            return std::nullopt;
        return m_terms[*value].integer;
    }

    Maybe integer(const Expr& e) {
        return isFloat(e.dtype()) ? real(e) : m_terms.integer(e->integer, e.dtype());
    }
    Maybe real(const Expr& e) { return m_terms.real(literalValue(e).real, e.dtype()); }
    Maybe variable(const Expr& e) {
        const auto found = m_at.find(e->symbol);
        return found == m_at.end() ? Maybe() : m_terms.integer(found->second, DType::I64);
    }
    Maybe load(const Expr& e) {
        const SymbolicTensor& tensor = *m_readable.at(e->symbol);
        const auto offset = offsetOf(e.args(), tensor);
        if (!offset || tensor.data[*offset] == unwritten)
            return std::nullopt;
        return tensor.data[*offset];
    }
    Maybe pad(const Expr& e) {
        const SymbolicTensor& tensor = *m_readable.at(e.arg(0)->symbol);
        for (std::size_t d = 0; d < e.arg(0).args().size(); ++d) {
            const auto index = number(e.arg(0).arg(d));
            if (!index)
                return std::nullopt;
            if (*index < 0 || *index >= tensor.extents[d])
                return of(e.arg(1));
        }
        return load(e.arg(0));
    }
    Maybe select(const Expr& e) {
        if (const auto known = evalIndex(e.arg(0), m_at))
            return of(e.arg(*known != 0 ? 1 : 2));
        if (const Maybe condition = of(e.arg(0)); condition && isNumber(*condition))
            return of(e.arg(m_terms[*condition].integer != 0 ? 1 : 2));
        return other(ExprOp::Select, e);
    }
    Maybe other(ExprOp op, const Expr& e) {
        std::vector<TermId> args;
        for (const Expr& arg : e.args()) {
            const Maybe value = of(arg);
            if (!value)
                return std::nullopt;
            args.push_back(*value);
        }
        if (std::all_of(args.begin(), args.end(), [&](TermId arg) { return isNumber(arg); }))
            if (const Maybe folded = ofIntegers(e, args))
                return folded;
        return op == ExprOp::Call ? m_terms.call(e->fn, e.dtype(), std::move(args))
                                  : m_terms.apply(op, e.dtype(), std::move(args));
    }

    bool isNumber(TermId id) const { return m_terms[id].kind == Term::Kind::Integer; }

    // What would wrap is left as it is: proofs are over all integers.
    Maybe ofIntegers(const Expr& e, const std::vector<TermId>& args) {
        if (args.size() > 2 || e.op() == ExprOp::Call || e.op() == ExprOp::BitCast)
            return std::nullopt;
        const DType from = m_terms[args[0]].dtype;
        const std::int64_t a = m_terms[args[0]].integer, b = m_terms[args.back()].integer;
        const bool mayWrap = e.op() == ExprOp::Add || e.op() == ExprOp::Sub ||
                             e.op() == ExprOp::Mul || e.op() == ExprOp::Neg;
        Operation operation{e.op(), e->fn, from, e.dtype()};
        if (e.op() == ExprOp::Cast && isFloat(e.dtype()))
            return m_terms.real(applyOperation(operation, intValue(a)).real, e.dtype());
        if (mayWrap) {
            operation.from = DType::I64;
            if (overflows(operation, a, b))
                return std::nullopt;
        }
        const std::int64_t value = applyOperation(operation, intValue(a), intValue(b)).integer;
        if (mayWrap && wrapTo(e.dtype(), value) != value)
            return std::nullopt;
        return m_terms.integer(value, e.dtype());
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
        auto results = SymbolicEvaluation(*inst, terms, mostTerms).run(operands);
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
