#include "module/index_uses.h"

#include <algorithm>

namespace fw {

namespace {

// Where an operand stands in the computation of the node, which has none for absent ones.
std::vector<ValueRef> present(const Node& node) {
    std::vector<ValueRef> out;
    std::copy_if(node.inputs.begin(), node.inputs.end(), std::back_inserter(out),
                 [](const ValueRef& ref) { return ref.valid(); });
    return out;
}

bool mayHoldIndices(const Graph& graph, const Node& node) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const ValueRef& ref) {
        return ref.valid() && isInteger(graph.type(ref).dtype) && graph.constant(ref) == nullptr;
    });
}

// The value with the same integers that the group does not compute; none if there is none.
std::optional<ValueRef> fromOutside(const Graph& graph, const Group& group, ValueRef value,
                                    const IndexOperand& index) {
    while (std::find(group.nodes.begin(), group.nodes.end(), value.node) != group.nodes.end()) {
        const Node& node = graph.node(value.node);
        if (isView(graph, node) && index.step == 1) {
            value = node.inputs.at(0);
            continue;
        }
        const Operator* op = graph.operators().find(node.op);
        const Result<OpInst> inst = op->instantiate(callOf(graph, node));
        const std::vector<ValueRef> operands = present(node);
        std::size_t k = 0;
        while (index.step == 1 && inst && k < operands.size() && !handsOnIntegers(*inst, k))
            ++k;
        if (index.step != 1 || !inst || k == operands.size())
            return std::nullopt;
        value = operands[k];
    }
    return graph.constant(value) == nullptr ? std::optional(value) : std::nullopt;
}

} // namespace

std::vector<GroupIndex> indicesOf(const Graph& graph, const Group& group) {
    std::vector<GroupIndex> out;
    for (const NodeId id : group.nodes) {
        const Node& node = graph.node(id);
        const Operator* op = graph.operators().find(node.op);
        if (op == nullptr || !mayHoldIndices(graph, node))
            continue;
        const std::vector<ValueRef> operands = present(node);
        for (const IndexOperand& index : indexOperands(*op, callOf(graph, node)))
            if (const auto value = fromOutside(graph, group, operands.at(index.operand), index))
                out.push_back({*value, index, node.name});
    }
    return out;
}

} // namespace fw
