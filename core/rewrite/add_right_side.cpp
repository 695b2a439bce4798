// What the right side of a rule adds to the graph.
#include "rewrite/right_side.h"

#include "ir/number_operands.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// Each number as a constant, of the type that the operands beside it give it.
Status addNumbers(const RightNode& planned, const std::vector<NodeId>& origins, GraphEditor& editor,
                  std::vector<ValueRef>& inputs) {
    std::vector<std::optional<DType>> types;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        types.push_back(inputs[i].valid() ? std::optional(editor.type(inputs[i]).dtype)
                                          : std::nullopt);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (const auto& number = planned.operands[i].number) {
            FW_TRY(const DType dtype,
                   typeOfNumber(*editor.graph().operators().find(planned.op), types, i));
            FW_TRY(TensorData data, numberData(dtype, *number));
            inputs[i] = editor.addConstant("scalar", std::move(data), origins);
        }
    return {};
}

// What the names of all that was matched begin with, up to a sign that parts scopes: an operator
// that is made there belongs to that block of the model.
std::string blockAround(const Graph& graph, const Match& match) {
    std::string_view shared;
    bool any = false;
    for (const NodeId id : match.nodes) {
        const std::string_view name = graph.node(id).name;
        const auto end =
            std::mismatch(shared.begin(), shared.end(), name.begin(), name.end()).first;
        shared = any ? shared.substr(0, std::size_t(end - shared.begin())) : name;
        any = true;
    }
    const std::size_t sign = shared.find_last_of("/.");
    return sign == std::string_view::npos ? std::string() : std::string(shared.substr(0, sign + 1));
}

} // namespace

Result<std::vector<ValueRef>> addRightSide(const RightSide& right, const Graph& graph,
                                           const Match& match, const Successor& forward,
                                           GraphEditor& editor,
                                           const std::vector<NodeId>& origins) {
    std::vector<std::vector<ValueRef>> added; // by node: its outputs
    const auto valueOf = [&](const RightOperand& operand) -> Result<ValueRef> {
        if (operand.node < 0)
            return forward(operand.value);
        const std::vector<ValueRef>& outputs = added[static_cast<std::size_t>(operand.node)];
        if (static_cast<std::size_t>(operand.output) >= outputs.size())
            return makeDiag(DiagCode::RuleIllegal,
                            fmt::format("{} has {} results",
                                        right.nodes[static_cast<std::size_t>(operand.node)].op,
                                        outputs.size()));
        return outputs[static_cast<std::size_t>(operand.output)];
    };
    for (const RightNode& planned : right.nodes) {
        GraphEditor::NewNode node;
        node.op = planned.op;
        node.attrs = planned.attrs;
        node.origins = origins;
        node.name = planned.wish;
        // A node that stands for a matched one of the same operator keeps its name.
        for (const NodeId id : match.nodes)
            if (const Node& matched = graph.node(id); matched.op == planned.op) {
                node.name = matched.name;
                break;
            }
        if (!planned.name.empty())
            node.name = planned.name;
        if (node.name.empty())
            node.name = blockAround(graph, match) + planned.op;
        for (const RightOperand& operand : planned.operands) {
            FW_TRY(const ValueRef value,
                   operand.number ? Result<ValueRef>(ValueRef()) : valueOf(operand));
            node.inputs.push_back(value);
        }
        FW_CHECK(addNumbers(planned, origins, editor, node.inputs));
        FW_TRY(std::vector<ValueRef> outputs, editor.add(std::move(node)));
        added.push_back(std::move(outputs));
    }
    std::vector<ValueRef> out;
    for (const RightSide::Handed& handed : right.handed) {
        FW_TRY(const ValueRef value, valueOf(handed.to));
        out.push_back(value);
    }
    return out;
}

} // namespace fw
