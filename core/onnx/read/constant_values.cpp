// Values that only constants lead to, computed by the references of their operators: what exporters
// write of scales and sizes is often arithmetic on floats, which no shape arithmetic follows.
#include "onnx/read/model_importer.h"

#include <algorithm>

namespace fw {

namespace {

bool isSmall(const TensorData& data) {
    return data.count() <= smallTensorLimit && data.dtype() != DType::Text;
}

bool areSmall(const Node& node) {
    return std::all_of(node.outputs.begin(), node.outputs.end(), [](const Output& output) {
        const auto extents = fixedExtents(output.type.shape);
        const auto count = extents ? checkedCount(*extents) : Result<std::int64_t>(-1);
        return count && *count >= 0 && *count <= static_cast<std::int64_t>(smallTensorLimit);
    });
}

} // namespace

// Every node is looked at once, whoever asks; nothing is kept of those that an input leads to.
const TensorData* ModelImporter::computed(ValueRef value) {
    const auto given = [](const Node& node) {
        return std::vector<TensorData>(node.isConstant() && isSmall(*node.data) ? 1 : 0,
                                       node.isConstant() ? *node.data : TensorData());
    };
    std::vector<NodeId> open{value.node};
    while (!open.empty()) {
        const NodeId id = open.back();
        const Node& node = *m_editor.find(id);
        const bool isOperator = !node.isLeaf() && !node.isUnknown() && node.bodies.empty() &&
                                !node.inputs.empty() && areSmall(node);
        if (m_computed.contains(id) || !isOperator) {
            m_computed.emplace(id, given(node));
            open.pop_back();
            continue;
        }
        std::vector<const TensorData*> operands;
        bool known = true, waits = false;
        for (const ValueRef& input : node.inputs) {
            operands.push_back(nullptr);
            if (!input.valid())
                continue;
            const auto found = m_computed.find(input.node);
            if (found == m_computed.end()) {
                open.push_back(input.node);
                waits = true;
            } else if (found->second.empty()) {
                known = false;
            } else {
                operands.back() = &found->second.at(static_cast<std::size_t>(input.output));
            }
        }
        if (known && waits)
            continue;
        std::vector<TensorData> results;
        if (known) {
            OpCall call;
            call.attrs = node.attrs;
            for (const ValueRef& input : node.inputs)
                call.inputs.push_back(input.valid() ? std::optional(m_editor.type(input))
                                                    : std::nullopt);
            if (auto made = m_run.operators->find(node.op)->reference(call, operands))
                results = made.take();
        }
        m_computed.emplace(id, std::move(results));
        while (open.back() != id) // operands that do not matter any more
            open.pop_back();
        open.pop_back();
    }
    const std::vector<TensorData>& results = m_computed.at(value.node);
    return results.empty() ? nullptr : &results.at(static_cast<std::size_t>(value.output));
}

const TensorData* ModelImporter::computed(const std::string& name) {
    const Name* known = find(name);
    return known != nullptr && known->value.ref ? computed(*known->value.ref) : nullptr;
}

} // namespace fw
