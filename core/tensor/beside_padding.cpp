#include "tensor/beside_padding.h"

#include "ir/op_inst.h"

#include <algorithm>

namespace fw {

namespace {

void addLoads(const Expr& e, std::set<Symbol>& out) {
    visitExpr(e, [&](const Expr& part) {
        if (part.op() == ExprOp::Load)
            out.insert(part->symbol);
    });
}

bool readsPadded(const Expr& e) {
    bool out = false;
    visitExpr(e, [&](const Expr& part) { out = out || part.op() == ExprOp::Pad; });
    return out;
}

// What is multiplied by something that reads beyond.
void addFactors(const Expr& body, std::set<Symbol>& out) {
    visitExpr(body, [&](const Expr& part) {
        if (part.op() != ExprOp::Mul && part.op() != ExprOp::Fma)
            return;
        for (const std::size_t i : {0u, 1u})
            if (readsPadded(part.arg(i)))
                addLoads(part.arg(1 - i), out);
    });
}

} // namespace

std::set<NodeId> inputsBesidePadding(const Graph& graph) {
    std::set<ValueRef> beside;
    const std::vector<NodePtr> nodes = graph.nodes();
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
        const Node& node = **it;
        const Operator* op = node.isLeaf() ? nullptr : graph.operators().find(node.op);
        if (op == nullptr)
            continue;
        const Result<OpInst> inst = op->instantiate(callOf(graph, node));
        if (!inst)
            continue;
        std::set<Symbol> tensors;
        for (std::size_t i = 0; i < inst->outputs.size(); ++i)
            if (beside.contains({node.id, static_cast<int>(i)}))
                tensors.insert(inst->outputs[i].name);
        for (auto stage = inst->stages.rbegin(); stage != inst->stages.rend(); ++stage) {
            if (tensors.contains(stage->out))
                addLoads(stage->body, tensors);
            addFactors(stage->body, tensors);
        }
        std::size_t formal = 0; // operands that are left out have none
        for (const ValueRef& input : node.inputs)
            if (input.valid() && formal < inst->inputs.size()) {
                if (tensors.contains(inst->inputs[formal].name))
                    beside.insert(input);
                ++formal;
            }
    }
    std::set<NodeId> out;
    for (const NodeId id : graph.inputs())
        if (beside.contains({id, 0}))
            out.insert(id);
    return out;
}

} // namespace fw
