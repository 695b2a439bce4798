#include "tensor/evaluate_graph.h"

#include "ir/bound_dims.h"
#include "ir/index_operands.h"
#include "ir/inline_calls.h"
#include "tensor/reference.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace fw {

namespace {

Result<TensorType> concrete(const TensorType& type, const Substitution& dims) {
    TensorType out{type.dtype, {}};
    for (const Dim& dim : type.shape) {
        const Dim fixed = simplify(substitute(dim, dims));
        if (!fixed.asInt())
            return makeDiag(DiagCode::DimUnbound, "no input says what " + fixed.text() + " is");
        out.shape.push_back(fixed);
    }
    return out;
}

class GraphEvaluation {
public:
    GraphEvaluation(const Graph& graph, const CancelToken& cancel, Precision precision,
                    BadIndices indices)
        : m_graph(graph), m_cancel(cancel), m_precision(precision), m_indices(indices) {}

    Status bind(const std::vector<TensorData>& inputs) {
        if (inputs.size() != m_graph.inputs().size())
            return makeDiag(DiagCode::InputMismatch,
                            fmt::format("the graph has {} inputs, {} are given",
                                        m_graph.inputs().size(), inputs.size()));
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const Output& output = m_graph.node(m_graph.inputs()[i]).outputs.at(0);
            const TensorData& data = inputs[i];
            if (output.type.dtype != data.dtype() || output.type.rank() != data.extents().size())
                return mismatch(output, data);
            for (std::size_t axis = 0; axis < data.extents().size(); ++axis)
                if (const Dim& dim = output.type.shape[axis]; dim.isVar())
                    m_dims.emplace(dim->symbol, intExpr(data.extents()[axis]));
            m_values[{m_graph.inputs()[i], 0}] = data;
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const Output& output = m_graph.node(m_graph.inputs()[i]).outputs.at(0);
            FW_TRY(const TensorType type, concrete(output.type, m_dims));
            if (!(type == inputs[i].type()))
                return mismatch(output, inputs[i]);
        }
        return checkAssumptions();
    }

    Status run(const Node& node) {
        if (node.isInput())
            return {};
        if (node.isConstant()) {
            m_values[{node.id, 0}] = *node.data;
            return {};
        }
        if (node.isUnknown())
            return makeDiag(DiagCode::NotRunnable,
                            "the operator " + node.shownOp() + " is not known", {{}, node.name});
        if (m_cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the evaluation was cancelled");
        FW_TRY(const OpCall call, callWith(callOf(m_graph, node), m_dims));
        std::vector<const TensorData*> operands;
        for (const ValueRef& input : node.inputs)
            operands.push_back(input.valid() ? &m_values.at(input) : nullptr);
        if (m_indices == BadIndices::Refuse)
            FW_CHECK(checkIndices(node, call));
        Result<std::vector<TensorData>> results = computed(node, call, operands);
        if (!results)
            return results.takeDiag().at({{}, node.name});
        for (std::size_t i = 0; i < results->size(); ++i)
            m_values[{node.id, static_cast<int>(i)}] = std::move((*results)[i]);
        return bindDims(node);
    }

    const TensorData& value(ValueRef ref) const { return m_values.at(ref); }

private:
    Result<std::vector<TensorData>> computed(const Node& node, const OpCall& call,
                                             const std::vector<const TensorData*>& operands) {
        const Operator& op = *m_graph.operators().find(node.op);
        if (m_precision == Precision::Double || op.refusal(call))
            return op.reference(call, operands);
        FW_TRY(const OpInst inst, op.instantiate(call));
        std::vector<const TensorData*> present;
        std::copy_if(operands.begin(), operands.end(), std::back_inserter(present),
                     [](const TensorData* data) { return data != nullptr; });
        return evaluate(inst, present, {}, m_cancel, m_precision);
    }

    Status checkIndices(const Node& node, const OpCall& call) const {
        std::vector<ValueRef> present;
        std::copy_if(node.inputs.begin(), node.inputs.end(), std::back_inserter(present),
                     [](const ValueRef& ref) { return ref.valid(); });
        for (const IndexOperand& index : indexOperands(*m_graph.operators().find(node.op), call)) {
            const TensorData& data = m_values.at(present.at(index.operand));
            const std::int64_t extent = index.extent.asInt().value_or(0);
            if (const auto element = firstOutside(data, index, extent))
                return makeDiag(DiagCode::InputMismatch,
                                fmt::format("element {} of {} is {}, which lies outside of an axis "
                                            "of {}",
                                            *element, m_graph.output(present[index.operand]).name,
                                            data.integerAt(*element), extent),
                                {{}, node.name});
        }
        return {};
    }

    Status checkAssumptions() const {
        for (const Assumption& assumption : m_graph.assumptions())
            if (simplify(substitute(assumption.condition, m_dims)).isInt(0))
                return makeDiag(DiagCode::InputMismatch, assumption.sentence,
                                {{}, assumption.node});
        return {};
    }

    // What the node binds has its values from now on.
    Status bindDims(const Node& node) {
        const std::vector<Symbol> dims = dimsBoundBy(m_graph.operators(), node);
        if (dims.empty())
            return {};
        const TensorData& sizes = m_values.at({node.id, 0});
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const std::int64_t size = sizes.integerAt(i);
            if (size < 0 || size > largestBoundDim)
                return makeDiag(DiagCode::InputMismatch,
                                fmt::format("it computes the size {} as {}, which must lie between "
                                            "0 and {}",
                                            dims[i].text(), size, largestBoundDim),
                                {{}, node.name});
            m_dims.emplace(dims[i], intExpr(size));
        }
        return checkAssumptions();
    }

    static Diag mismatch(const Output& output, const TensorData& data) {
        return makeDiag(
            DiagCode::InputMismatch,
            fmt::format("{} is {}, not {}", output.name, output.type.text(), data.type().text()));
    }

    const Graph& m_graph;
    const CancelToken& m_cancel;
    Precision m_precision;
    BadIndices m_indices;
    Substitution m_dims;
    std::map<ValueRef, TensorData> m_values;
};

} // namespace

Result<OpCall> callWith(OpCall call, const Substitution& dims) {
    for (auto& type : call.inputs)
        if (type) {
            FW_TRY(type, concrete(*type, dims));
        }
    Attrs attrs = call.attrs;
    for (const auto& [name, value] : attrs)
        if (const auto* exprs = std::get_if<Exprs>(&value)) {
            Exprs fixed;
            for (const Expr& e : *exprs)
                fixed.push_back(simplify(substitute(e, dims)));
            call.attrs.set(name, std::move(fixed));
        }
    return call;
}

Result<std::vector<TensorData>> evaluateGraph(const Graph& graph,
                                              const std::vector<TensorData>& inputs,
                                              const CancelToken& cancel, Precision precision,
                                              BadIndices indices) {
    if (hasCalls(graph)) {
        FW_TRY(const GraphPtr inlined, inlineCalls(graph));
        return evaluateGraph(*inlined, inputs, cancel, precision, indices);
    }
    GraphEvaluation evaluation(graph, cancel, precision, indices);
    FW_CHECK(evaluation.bind(inputs));
    for (const NodePtr& node : graph.nodes())
        FW_CHECK(evaluation.run(*node));
    std::vector<TensorData> out;
    for (const NamedValue& result : graph.results())
        out.push_back(evaluation.value(result.value));
    return out;
}

} // namespace fw
