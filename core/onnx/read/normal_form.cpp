// What rules and libraries look for in place of operators with a constant: a `bias` where it is
// added along one axis, or a vector to a product that the node itself makes; `dense` where a
// constant matrix is a factor.
#include "onnx/model/constant_layout.h"
#include "onnx/read/node_import.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

// The axis of `x` that a constant of this shape is added along: its only extent other than 1, if it
// is x's extent there, or the first one.
std::optional<std::size_t> biasAxis(const Shape& x, const std::vector<std::int64_t>& constant) {
    if (constant.size() > x.size())
        return std::nullopt;
    std::optional<std::size_t> axis;
    const std::size_t shift = x.size() - constant.size();
    for (std::size_t i = 0; i < constant.size(); ++i) {
        if (constant[i] == 1)
            continue;
        if (axis || !x[shift + i].isInt(constant[i]))
            return std::nullopt;
        axis = shift + i;
    }
    return axis;
}

} // namespace

// With a factor or without.
bool NodeImport::isOwnProduct(ValueRef value) const {
    const Node* node = m_model.editor().find(value.node);
    return std::find(m_emitted.begin(), m_emitted.end(), value.node) != m_emitted.end() &&
           (node->op == "dense" || node->op == "mul");
}

void NodeImport::asBias(std::string& op, std::vector<ValueRef>& inputs, Attrs& attrs) {
    for (const std::size_t side : {1u, 0u}) {
        const ValueRef x = inputs[1 - side];
        const TensorData* data = constant(inputs[side]);
        const Shape& shape = type(inputs[side]).shape;
        if (data == nullptr && m_operands.contains(inputs[side]) && side == 1 && isOwnProduct(x) &&
            shape.size() == 1 && !shape[0].isInt(1) && type(x).rank() > 0 &&
            shape[0] == type(x).shape.back()) {
            op = "bias";
            attrs.set("axis", static_cast<std::int64_t>(type(x).rank() - 1));
            return;
        }
        if (data == nullptr || constant(x) != nullptr || type(x).dtype != data->dtype())
            continue;
        const auto axis = biasAxis(type(x).shape, data->extents());
        if (!axis)
            continue;
        const ValueRef values =
            data->extents().size() == 1
                ? inputs[side]
                : addConstant("bias_values",
                              data->reshaped({static_cast<std::int64_t>(data->count())}));
        note(fmt::format("adding a constant along axis {} is a bias", *axis));
        op = "bias";
        inputs = {x, values};
        attrs.set("axis", static_cast<std::int64_t>(*axis));
        return;
    }
}

Status NodeImport::toNormalForm(std::string& op, std::vector<ValueRef>& inputs, Attrs& attrs) {
    if (op == "add" && inputs.size() == 2)
        asBias(op, inputs, attrs);
    if (op != "batch_matmul" || inputs.size() != 2 || constant(inputs[1]) == nullptr ||
        type(inputs[1]).rank() != 2)
        return {};
    OpCall product;
    for (const ValueRef input : inputs)
        product.inputs.emplace_back(type(input));
    if (auto fits = operatorNamed(op)->infer(product); !fits) // before the weights are turned
        return inWords(fits.takeDiag(), op, inputs);
    op = "dense";
    FW_TRY(inputs[1], transposedWeights(inputs[1]));
    return {};
}

Result<ValueRef> NodeImport::transposedWeights(ValueRef matrix) {
    FW_TRY(auto transposed, transposedConstant(*constant(matrix)));
    note("the weights are transposed to [N, K]");
    return addConstant("weights", std::move(transposed));
}

} // namespace fw
