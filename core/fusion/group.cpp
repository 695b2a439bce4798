#include "fusion/group.h"

#include "ir/missing_type.h"

namespace fw {

void Group::becomeView() {
    kind = GroupKind::View;
    implementation.clear();
    by = nullptr;
}

std::string Group::computedBy() const {
    if (isHost())
        return runtimeKernel.empty() ? "reference" : "runtime." + runtimeKernel;
    return isView() ? "view" : isOpaque() ? "opaque" : implementation;
}

const Group& FusionPlan::groupAt(NodeId node) const {
    return groups.at(static_cast<std::size_t>(groupOf.at(node)));
}

const EdgeDecision* FusionPlan::edge(NodeId from, NodeId to) const {
    for (const EdgeDecision& edge : edges)
        if (edge.from == from && edge.to == to)
            return &edge;
    return nullptr;
}

StorageMap FusionPlan::layout(ValueRef value) const {
    const auto found = layouts.find(value);
    return found == layouts.end() ? StorageMap{} : found->second;
}

double bytesOf(const Graph& graph, ValueRef value) {
    const TensorType& type = graph.type(value);
    double count = static_cast<double>(dtypeBytes(type.dtype));
    for (const Dim& dim : type.shape)
        count *= static_cast<double>(dim.asInt().value_or(1));
    return count;
}

bool isOperator(const Node& node) {
    return !node.isInput() && !node.isConstant() && !isForeignLeaf(node);
}

bool isView(const Graph& graph, const Node& node) {
    const Operator* op = graph.operators().find(node.op);
    return op != nullptr && op->isView() && !node.inputs.empty() && node.inputs[0].valid();
}

} // namespace fw
