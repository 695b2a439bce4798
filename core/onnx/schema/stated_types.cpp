#include "onnx/schema/stated_types.h"

#include "onnx/model/tensor_proto.h"
#include "onnx/schema/standard_operators.h"

#include <algorithm>

namespace fw {

namespace {

const proto::AttributeProto* attribute(const proto::NodeProto& node, std::string_view name) {
    for (const auto& one : node.attribute())
        if (one.name() == name)
            return &one;
    return nullptr;
}

// The element type that `dtype` says, or the one without it; nothing for one that is not known.
std::optional<DType> elementOf(const proto::NodeProto& node, std::optional<DType> otherwise) {
    const auto* said = attribute(node, "dtype");
    const auto dtype = said == nullptr ? otherwise : dtypeFromOnnx(said->i());
    return dtype == DType::Text ? std::nullopt : dtype;
}

std::optional<TensorType> drawnType(const proto::NodeProto& node,
                                    const std::optional<TensorType>& like) {
    const std::string& name = node.op_type();
    if (const auto* shape = attribute(node, "shape")) { // RandomNormal, RandomUniform
        const auto dtype = elementOf(node, DType::F32);
        const auto& extents = shape->ints();
        if (!dtype || std::any_of(extents.begin(), extents.end(), [](auto n) { return n < 0; }))
            return std::nullopt;
        return TensorType{*dtype, Shape(extents.begin(), extents.end())};
    }
    if (!like)
        return std::nullopt;
    if (name == "Multinomial") { // a row of samples for each row
        const auto* samples = attribute(node, "sample_size");
        const std::int64_t count = samples == nullptr ? 1 : samples->i();
        const auto dtype = elementOf(node, DType::I32);
        if (like->rank() != 2 || count < 0 || !dtype)
            return std::nullopt;
        return TensorType{*dtype, {like->shape[0], Dim(count)}};
    }
    const auto dtype = elementOf(node, like->dtype);
    return dtype ? std::optional(TensorType{*dtype, like->shape}) : std::nullopt;
}

} // namespace

bool isRandom(const proto::NodeProto& node, std::int64_t opset) {
    return isStandardDomain(node.domain()) && hasAttribute(node.op_type(), opset, "seed");
}

std::optional<TensorType> statedType(const proto::NodeProto& node, int output, std::int64_t opset,
                                     const std::function<std::optional<TensorType>(int)>& operand) {
    if (!isStandardDomain(node.domain()))
        return std::nullopt;
    // Behind the values of BatchNormalization stand its statistics, behind those of Dropout its
    // mask.
    if (node.op_type() == "BatchNormalization")
        return operand(output == 0 ? 0 : 3);
    if (node.op_type() == "Dropout") {
        auto type = operand(0);
        if (type && output == 1 && opset >= 10)
            type->dtype = DType::Bool;
        return type;
    }
    if (isRandom(node, opset) && output == 0)
        return drawnType(node, operand(0));
    return std::nullopt;
}

} // namespace fw
