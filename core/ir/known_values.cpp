#include "ir/known_values.h"

#include <algorithm>

namespace fw {

namespace {

bool isSmall(const Node& node) {
    return std::all_of(node.outputs.begin(), node.outputs.end(), [](const Output& output) {
        const auto extents = fixedExtents(output.type.shape);
        const auto count = extents ? checkedCount(*extents) : Result<std::int64_t>(-1);
        return count && *count >= 0 && *count <= static_cast<std::int64_t>(smallTensorLimit);
    });
}

// What is made of integers may follow from types alone.
bool isOfIntegers(const Node& node) {
    return std::all_of(node.outputs.begin(), node.outputs.end(), [](const Output& output) {
        return isInteger(output.type.dtype) || output.type.dtype == DType::Bool;
    });
}

} // namespace

void KnownValues::give(ValueRef input, KnownValue value) {
    m_known[input.node] = {std::move(value)};
}

std::vector<KnownValue> KnownValues::own(const Node& node) const {
    const bool isKnown = node.isConstant() && node.data->dtype() != DType::Text &&
                         node.data->count() <= smallTensorLimit;
    return isKnown ? std::vector<KnownValue>{*node.data} : std::vector<KnownValue>();
}

std::vector<KnownValue> KnownValues::made(const Node& node) const {
    OpCall call;
    call.attrs = node.attrs;
    std::vector<const KnownValue*> operands;
    for (const ValueRef& input : node.inputs) {
        const bool isGiven = input.valid();
        call.inputs.push_back(isGiven ? std::optional(m_editor.type(input)) : std::nullopt);
        operands.push_back(nullptr);
        if (!isGiven)
            continue;
        const std::vector<KnownValue>& known = m_known.at(input.node);
        if (!known.empty())
            operands.back() = &known.at(static_cast<std::size_t>(input.output));
        else if (!isOfIntegers(node))
            return {};
    }
    const Operator* op = m_operators.find(node.op);
    return resultsOf(*op, call, operands).value_or(std::vector<KnownValue>());
}

// Every node is looked at once, whoever asks.
const KnownValue* KnownValues::find(ValueRef value) {
    std::vector<NodeId> open{value.node};
    while (!open.empty()) {
        const NodeId id = open.back();
        const Node& node = *m_editor.find(id);
        if (m_known.contains(id)) {
            open.pop_back();
            continue;
        }
        if (node.isLeaf() || node.isUnknown() || !node.bodies.empty() || !isSmall(node)) {
            m_known.emplace(id, own(node));
            open.pop_back();
            continue;
        }
        const std::size_t before = open.size();
        for (const ValueRef& input : node.inputs)
            if (input.valid() && !m_known.contains(input.node))
                open.push_back(input.node);
        if (open.size() > before)
            continue;
        m_known.emplace(id, made(node));
        open.pop_back();
    }
    const std::vector<KnownValue>& known = m_known.at(value.node);
    return known.empty() ? nullptr : &known.at(static_cast<std::size_t>(value.output));
}

} // namespace fw
