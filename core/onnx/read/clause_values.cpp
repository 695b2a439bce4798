#include "onnx/read/clause_values.h"

#include "onnx/model/attributes.h"
#include "onnx/model/names.h"
#include "onnx/model/tensor_proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace fw {

namespace {

Diag computedLater(const NodeImport& node, const std::string& ours, std::size_t operand) {
    return node.unsupported(
        fmt::format("operand {}, which is the attribute '{}', is computed while the model runs",
                    operand + 1, ours),
        "make it a constant of the model");
}

// As many as the operand has elements.
Result<AttrValue> madeUpSizes(const NodeImport& node, const std::string& ours,
                              std::size_t operand) {
    FW_TRY(const TensorType type, node.inputType(operand));
    const auto extents = fixedExtents(type.shape);
    const auto count = extents ? checkedCount(*extents) : Result<std::int64_t>(0);
    if (!extents || !count || *count > static_cast<std::int64_t>(smallTensorLimit))
        return computedLater(node, ours, operand);
    Exprs out;
    for (std::int64_t i = 0; i < *count; ++i)
        out.push_back(varExpr(Symbol(fmt::format("{}_{}", ours, i))));
    return AttrValue(std::move(out));
}

} // namespace

Result<AttrValue> attributeValue(const NodeImport& node, const std::string& name, AttrType type) {
    switch (type) {
    case AttrType::Int: {
        if (const auto* one = findAttribute(node.node(), name); // in opset 1
            one != nullptr && node.opset() == 1 && one->type() == proto::AttributeProto::FLOAT &&
            one->f() == std::floor(one->f()) && std::abs(one->f()) < 1e6F)
            return AttrValue(static_cast<std::int64_t>(one->f()));
        FW_TRY(const std::int64_t value, node.integer(name, 0));
        return AttrValue(value);
    }
    case AttrType::Bool: {
        FW_TRY(const bool value, node.flag(name, false));
        return AttrValue(std::int64_t{value});
    }
    case AttrType::Float: {
        FW_TRY(const double value, node.real(name, 0));
        return AttrValue(value);
    }
    case AttrType::Text: {
        FW_TRY(std::string value, node.text(name, {}));
        return AttrValue(std::move(value));
    }
    case AttrType::DType: {
        FW_TRY(const std::int64_t code, node.integer(name, 0));
        const auto dtype = dtypeFromOnnx(code);
        if (!dtype || *dtype == DType::Text)
            return node.unsupported(
                fmt::format("the element type {} of attribute '{}' is not supported",
                            onnxDtypeText(code), name));
        return AttrValue(*dtype);
    }
    case AttrType::Tensor: {
        auto value = node.tensor(name);
        if (!value || !*value)
            return value ? value->takeDiag() : node.malformed(name + " is no tensor");
        return AttrValue(value->take());
    }
    case AttrType::IntList: {
        if (const auto* one = findAttribute(node.node(), name);
            one != nullptr && one->type() == proto::AttributeProto::INT) {
            FW_TRY(const std::int64_t value, node.integer(name, 0));
            return AttrValue(Integers{value});
        }
        FW_TRY(auto values, node.list(name));
        return AttrValue(values.value_or(Integers()));
    }
    case AttrType::FloatList: {
        FW_TRY(auto values, node.reals(name));
        return AttrValue(values.value_or(Reals()));
    }
    case AttrType::TextList: {
        FW_TRY(auto values, node.texts(name));
        return AttrValue(values.value_or(Texts()));
    }
    default:
        return node.unsupported(fmt::format("attribute '{}' cannot be read", name));
    }
}

AttrType typeOfFixed(const AttrValue& value) {
    return std::holds_alternative<std::int64_t>(value) ? AttrType::Int
           : std::holds_alternative<double>(value)     ? AttrType::Float
                                                       : AttrType::Text;
}

Result<AttrValue> spelledValue(const NodeImport& node, const OnnxAttribute& source) {
    FW_TRY(const AttrValue given,
           attributeValue(node, source.name, typeOfFixed(source.spellings.front().first)));
    std::string known;
    for (const auto& [theirs, ours] : source.spellings) {
        if (given == theirs)
            return ours;
        known += (known.empty() ? "" : ", ") + attrText(theirs);
    }
    return node.unsupported(fmt::format("the attribute '{}' is {}, which is none of {}",
                                        cleanText(source.name), attrText(given), known));
}

Result<AttrValue> operandValue(NodeImport& node, const std::string& ours, std::size_t operand,
                               AttrType type, Computed computed) {
    if (type == AttrType::IntList || type == AttrType::Dims) {
        if (auto known = node.integers(operand))
            return AttrValue(std::move(*known));
        const auto small = node.shapeValues(operand);
        if (!small && computed == Computed::MadeUp)
            return madeUpSizes(node, ours, operand);
        if (!small && computed == Computed::Refused)
            return computedLater(node, ours, operand);
        FW_TRY(const Exprs sizes, small ? Result<Exprs>(*small) : node.sizes(operand));
        return shapeAttr(sizes);
    }
    const TensorData* data = node.computedConstant(operand);
    if (data == nullptr)
        return computedLater(node, ours, operand);
    const bool isList = type == AttrType::FloatList;
    if (!isList && data->count() != 1)
        return node.malformed(fmt::format("operand {}, which is the attribute '{}', has {} "
                                          "elements, not one",
                                          operand + 1, ours, data->count()));
    const bool isWhole = isInteger(data->dtype()) || data->dtype() == DType::Bool;
    if (isWhole && type == AttrType::Int)
        return AttrValue(data->toIntegers().front());
    if (isWhole && type == AttrType::Bool)
        return AttrValue(std::int64_t{data->toIntegers().front() != 0});
    if (type == AttrType::Float && data->dtype() != DType::Text)
        return AttrValue(data->dtype() == DType::F32 ? readableReal(static_cast<float>(data->at(0)))
                                                     : data->at(0));
    if (isList && data->dtype() != DType::Text)
        return AttrValue(data->toDoubles());
    return node.unsupported(fmt::format("operand {} of {} cannot be the attribute '{}'",
                                        operand + 1, dtypeText(data->dtype()), ours));
}

Integers axesInOrder(std::size_t rank, OnnxAttribute::Default order) {
    Integers out(rank);
    std::iota(out.begin(), out.end(), 0);
    if (order == OnnxAttribute::Default::Reversed)
        std::reverse(out.begin(), out.end());
    return out;
}

Result<AttrValue> fromTheFront(const NodeImport& node, AttrValue value, std::size_t rank) {
    if (const auto* axis = std::get_if<std::int64_t>(&value)) {
        FW_TRY(const std::size_t front, node.axis(*axis, rank));
        return AttrValue(static_cast<std::int64_t>(front));
    }
    if (auto* axes = std::get_if<Integers>(&value)) {
        std::set<std::int64_t> named;
        for (std::int64_t& axis : *axes) {
            FW_TRY(const std::size_t front, node.axis(axis, rank));
            axis = static_cast<std::int64_t>(front);
            if (!named.insert(axis).second)
                return node.malformed(fmt::format("axis {} is named twice", axis));
        }
    }
    if (std::holds_alternative<Exprs>(value))
        return node.unsupported("its axes are computed while the model runs",
                                "make them a constant of the model");
    return value;
}

} // namespace fw
