// Nodes that only say a value: Constant, and ConstantOfShape of a known shape. Large tensors of one
// value share one buffer, so a model whose weights are all made this way costs as much as its
// largest weight.
#include "onnx/read/model_importer.h"

#include "base/numbers.h"
#include "onnx/model/foreign_values.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

Result<std::optional<TensorData>> ModelImporter::constantOf(const proto::NodeProto& node) {
    using Outcome = std::optional<TensorData>;
    if (node.op_type() == "ConstantOfShape") {
        const auto* given = findAttribute(node, "value");
        if (given != nullptr && !foreignElement(given->t().data_type()).empty())
            return Outcome();
        if (node.input_size() != 1 || node.input(0).empty())
            return Outcome();
        const TensorData* shape = constant(node.input(0));
        if (!shape || shape->dtype() != DType::I64 || shape->extents().size() != 1 ||
            shape->count() > static_cast<std::size_t>(limits().rank))
            return Outcome();
        return filled(node, shape->toIntegers());
    }
    if (node.op_type() != "Constant")
        return Outcome();
    if (node.attribute_size() != 1)
        return makeDiag(
            DiagCode::OnnxMalformed,
            fmt::format("Constant needs one attribute, it has {}", node.attribute_size()));
    const auto& attribute = node.attribute(0);
    if (attribute.name() == "value" && attribute.has_t()) {
        proto::TensorProto tensor = attribute.t();
        auto data = takeTensor(tensor, m_run.external, limits());
        if (!data)
            return data.takeDiag();
        return Outcome(data.take());
    }
    const auto isList = [&](proto::AttributeProto::AttributeType kind) {
        return attribute.type() == kind || attribute.type() == proto::AttributeProto::UNDEFINED;
    };
    if (attribute.name() == "value_float") {
        FW_TRY(const double value, realAttribute(node, attribute.name(), 0));
        return Outcome(dataFromDoubles(DType::F32, {}, {value}));
    }
    if (attribute.name() == "value_int") {
        FW_TRY(const std::int64_t value, integerAttribute(node, attribute.name(), 0));
        return Outcome(dataFromIntegers(DType::I64, {}, {value}));
    }
    if (attribute.name() == "value_floats" && isList(proto::AttributeProto::FLOATS))
        return Outcome(dataFromDoubles(DType::F32, {attribute.floats_size()},
                                       {attribute.floats().begin(), attribute.floats().end()}));
    if (attribute.name() == "value_ints" && isList(proto::AttributeProto::INTS))
        return Outcome(dataFromIntegers(DType::I64, {attribute.ints_size()},
                                        {attribute.ints().begin(), attribute.ints().end()}));
    if (attribute.name() == "value_floats" || attribute.name() == "value_ints")
        return makeDiag(
            DiagCode::OnnxMalformed,
            fmt::format("attribute '{}' is not the list that it says", attribute.name()));
    return Outcome();
}

Result<bool> ModelImporter::readForeignConstant(const proto::NodeProto& node, Value& value) {
    if (node.op_type() != "Constant" || node.attribute_size() != 1)
        return false;
    const auto& attribute = node.attribute(0);
    const std::string& name = attribute.name();
    if (name == "sparse_value" && attribute.has_sparse_tensor()) {
        proto::SparseTensorProto sparse = attribute.sparse_tensor();
        FW_CHECK(readSparse(sparse, value));
        return true;
    }
    proto::TensorProto tensor;
    if (name == "value" && attribute.has_t()) {
        if (foreignElement(attribute.t().data_type()).empty())
            return false;
        tensor = attribute.t();
    } else if (name == "value_string" && attribute.type() == proto::AttributeProto::STRING) {
        tensor.set_data_type(proto::TensorProto::STRING);
        tensor.add_string_data(attribute.s());
    } else if (name == "value_strings" && attribute.type() == proto::AttributeProto::STRINGS) {
        tensor.set_data_type(proto::TensorProto::STRING);
        tensor.add_dims(attribute.strings_size());
        *tensor.mutable_string_data() = attribute.strings();
    } else {
        return false;
    }
    FW_TRY(const ForeignTensor foreign, takeForeignTensor(tensor, m_run.external, limits()));
    value.leaf = std::make_shared<const Attrs>(foreignConstant(foreign));
    value.untyped = true;
    value.foreignShape = Shape(tensor.dims().begin(), tensor.dims().end());
    return true;
}

Result<std::optional<TensorData>> ModelImporter::filled(const proto::NodeProto& node,
                                                        const Integers& extents) {
    using Outcome = std::optional<TensorData>;
    TensorData value = dataFromDoubles(DType::F32, {1}, {0});
    if (const auto* attribute = findAttribute(node, "value")) {
        proto::TensorProto tensor = attribute->t();
        auto read = takeTensor(tensor, m_run.external, limits());
        if (!read)
            return read.takeDiag();
        if (read->count() != 1)
            return makeDiag(DiagCode::OnnxMalformed,
                            "ConstantOfShape: its value has more than one element");
        value = read.take();
    }
    for (const std::int64_t extent : extents)
        if (extent < 0)
            return makeDiag(DiagCode::OnnxMalformed,
                            fmt::format("ConstantOfShape: negative dimension {}", extent));
    FW_TRY(const std::int64_t count, checkedCount(extents));
    const std::size_t width = dtypeBytes(value.dtype());
    const auto bytes = checkedMul(count, static_cast<std::int64_t>(width));
    const auto limit = static_cast<std::int64_t>(limits().tensorBytes);
    if (!bytes || *bytes > limit)
        return makeDiag(DiagCode::LimitReached,
                        fmt::format("ConstantOfShape: needs {} bytes, the limit is {}",
                                    bytes ? std::to_string(*bytes) : "more than 2^63", limit));
    const std::string pattern(reinterpret_cast<const char*>(value.bytes().data()), width);
    const auto size = static_cast<std::size_t>(*bytes);
    if (!m_uniform || m_uniformPattern != pattern || m_uniform->size() < size) {
        const std::size_t old = m_uniform && m_uniformPattern == pattern ? m_uniform->size() : 0;
        auto fresh =
            std::make_shared<std::vector<std::byte>>(std::max(size, std::min(2 * old, 64 * size)));
        for (std::size_t at = 0; at + width <= fresh->size(); at += width)
            std::copy_n(value.bytes().begin(), width,
                        fresh->begin() + static_cast<std::ptrdiff_t>(at));
        m_uniform = fresh;
        m_uniformPattern = pattern;
    }
    return Outcome(
        TensorData(value.dtype(), extents, std::span(*m_uniform).first(size), m_uniform));
}

} // namespace fw
