#include "tensor/bounded.h"
#include "tensor/wide.h"

#include <fmt/format.h>

#include <map>

namespace fw {

namespace {

// An operator without a tensor expression.
Result<std::vector<BoundedValues>> byReference(const Operator& op, const OpCall& call,
                                               const std::vector<const BoundedValues*>& operands) {
    std::vector<TensorData> rounded(operands.size());
    std::vector<const TensorData*> given;
    bool exact = true;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] != nullptr) {
            rounded[i] = dataOf(operands[i]->values);
            exact = exact && operands[i]->errors.empty();
        }
        given.push_back(operands[i] == nullptr ? nullptr : &rounded[i]);
    }
    FW_TRY(const std::vector<TensorData> results, op.reference(call, given));
    std::vector<BoundedValues> out;
    for (const TensorData& result : results) {
        out.push_back(exactValues(result));
        if (!exact)
            out.back().errors.assign(result.count(), unbounded);
    }
    return out;
}

} // namespace

Result<std::vector<BoundedValues>> evaluateGraphBounded(const Graph& graph,
                                                        const std::vector<TensorData>& inputs,
                                                        const BoundedOptions& options) {
    if (inputs.size() != graph.inputs().size())
        return makeDiag(DiagCode::InputMismatch,
                        fmt::format("the graph has {} inputs, {} are given", graph.inputs().size(),
                                    inputs.size()));
    std::map<ValueRef, BoundedValues> known;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Output& output = graph.node(graph.inputs()[i]).outputs.at(0);
        if (!(output.type == inputs[i].type()))
            return makeDiag(DiagCode::InputMismatch,
                            fmt::format("{} is {}, not {}", output.name, output.type.text(),
                                        inputs[i].type().text()));
        known[{graph.inputs()[i], 0}] = exactValues(inputs[i]);
    }
    for (const NodePtr& node : graph.nodes()) {
        if (node->isInput())
            continue;
        if (node->isConstant()) {
            known[{node->id, 0}] = exactValues(*node->data);
            continue;
        }
        const Operator* op = graph.operators().find(node->op);
        if (op == nullptr || node->isUnknown())
            return makeDiag(DiagCode::NotRunnable, "the operator " + node->op + " is not known",
                            {{}, node->name});
        const OpCall call = callOf(graph, *node);
        std::vector<const BoundedValues*> operands, present;
        for (const ValueRef& input : node->inputs) {
            operands.push_back(input.valid() ? &known.at(input) : nullptr);
            if (input.valid())
                present.push_back(operands.back());
        }
        const Result<OpInst> inst = op->instantiate(call);
        Result<std::vector<BoundedValues>> results =
            inst ? evaluateBounded(widened(*inst), present, options)
                 : byReference(*op, call, operands);
        if (!results)
            return results.takeDiag().at({{}, node->name});
        for (std::size_t i = 0; i < results->size(); ++i)
            known[{node->id, static_cast<int>(i)}] = std::move((*results)[i]);
    }
    std::vector<BoundedValues> out;
    for (const NamedValue& result : graph.results())
        out.push_back(known.at(result.value));
    return out;
}

} // namespace fw
