#include "onnx/model/foreign_values.h"

#include "base/numbers.h"
#include "ir/missing_type.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

constexpr const char* declarationKey = "onnx:declaration"; // ValueInfoProto, TensorProto
constexpr const char* sparseKey = "onnx:sparse";           // SparseTensorProto
constexpr const char* dataKey = "onnx:data";               // raw data of the tensor

constexpr int deepestType = 16; // what lies deeper in a type is not said

std::string elementName(std::int64_t code) {
    const std::string foreign = foreignElement(code);
    if (!foreign.empty())
        return foreign;
    if (code == proto::TensorProto::UNDEFINED)
        return "tensor";
    return dtypeFromOnnx(code) ? onnxDtypeText(code) : fmt::format("type {}", code);
}

std::string dimsText(const proto::TensorShapeProto& shape, DimNames& dims) {
    std::string out;
    for (const auto& dim : shape.dim()) {
        out += out.empty() ? "" : ", ";
        if (dim.has_dim_param() && !dim.dim_param().empty())
            out += dims.named(dim.dim_param()).text();
        else
            out +=
                dim.has_dim_value() && dim.dim_value() >= 0 ? std::to_string(dim.dim_value()) : "?";
    }
    return "[" + out + "]";
}

std::string typeText(const proto::TypeProto& type, DimNames& dims, int depth) {
    if (depth > deepestType)
        return "...";
    switch (type.value_case()) {
    case proto::TypeProto::kTensorType: {
        const auto& tensor = type.tensor_type();
        return elementName(tensor.elem_type()) +
               (tensor.has_shape() ? dimsText(tensor.shape(), dims) : std::string());
    }
    case proto::TypeProto::kSparseTensorType: {
        const auto& tensor = type.sparse_tensor_type();
        return "sparse " + elementName(tensor.elem_type()) +
               (tensor.has_shape() ? dimsText(tensor.shape(), dims) : std::string());
    }
    case proto::TypeProto::kSequenceType:
        return "sequence of " + typeText(type.sequence_type().elem_type(), dims, depth + 1);
    case proto::TypeProto::kOptionalType:
        return "optional " + typeText(type.optional_type().elem_type(), dims, depth + 1);
    case proto::TypeProto::kMapType:
        return fmt::format("map of {} to {}", elementName(type.map_type().key_type()),
                           typeText(type.map_type().value_type(), dims, depth + 1));
    case proto::TypeProto::kOpaqueType: {
        const auto& opaque = type.opaque_type();
        const std::string domain = cleanText(opaque.domain());
        return fmt::format("opaque {}{}{}", domain, domain.empty() ? "" : ".",
                           cleanText(opaque.name()));
    }
    case proto::TypeProto::VALUE_NOT_SET:
        break;
    }
    return "of no type";
}

// Without a type where nothing says it.
Attrs leafAttrs(const char* kind, const std::string& type) {
    Attrs out;
    out.set("domain", std::string());
    out.set("op_type", std::string(kind));
    out.set(leafKey, std::string(kind));
    out.set(untypedOutputsKey, Integers{0});
    if (!type.empty())
        out.set(foreignTypesKey, Texts{type});
    return out;
}

Diag malformedValue(std::string message) {
    return makeDiag(DiagCode::OnnxMalformed, std::move(message));
}

} // namespace

std::string foreignTypeText(const proto::TypeProto& type, DimNames& dims) {
    if (type.value_case() == proto::TypeProto::VALUE_NOT_SET)
        return {};
    if (const auto element = type.tensor_type().elem_type();
        type.has_tensor_type() && foreignElement(element).empty() &&
        (element == proto::TensorProto::UNDEFINED || dtypeFromOnnx(element)))
        return {};
    return typeText(type, dims, 0);
}

TensorData bytesOf(const google::protobuf::MessageLite& message) {
    const auto owner = std::make_shared<const std::string>(message.SerializeAsString());
    return TensorData(DType::U8, {static_cast<std::int64_t>(owner->size())},
                      std::as_bytes(std::span(owner->data(), owner->size())), owner);
}

bool parseAttribute(const Attrs& attrs, const std::string& name,
                    google::protobuf::MessageLite& out) {
    const AttrValue* value = attrs.find(name);
    const auto* bytes = value == nullptr ? nullptr : std::get_if<TensorData>(value);
    return bytes != nullptr &&
           out.ParseFromArray(bytes->bytes().data(), static_cast<int>(bytes->bytes().size()));
}

Attrs foreignInput(const proto::ValueInfoProto& declared, const std::string& type,
                   std::int64_t place) {
    Attrs out = leafAttrs("input", type);
    out.set(placeKey, place);
    out.set(declarationKey, bytesOf(declared));
    return out;
}

Attrs untypedInput(const proto::ValueInfoProto& declared, bool elementIsKnown, std::int64_t place) {
    Attrs out = foreignInput(declared, {}, place);
    if (elementIsKnown) {
        out.erase(untypedOutputsKey);
        out.set(unrankedOutputsKey, Integers{0});
    }
    return out;
}

Attrs foreignConstant(const ForeignTensor& tensor) {
    Attrs out = leafAttrs("constant", tensor.type);
    const auto owner = std::make_shared<const std::string>(tensor.header);
    out.set(declarationKey,
            TensorData(DType::U8, {static_cast<std::int64_t>(owner->size())},
                       std::as_bytes(std::span(owner->data(), owner->size())), owner));
    if (!tensor.data.bytes().empty())
        out.set(dataKey, tensor.data);
    return out;
}

Attrs foreignConstant(const proto::SparseTensorProto& tensor) {
    std::string extents;
    for (const std::int64_t extent : tensor.dims())
        extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
    Attrs out =
        leafAttrs("constant",
                  fmt::format("sparse {}[{}]", elementName(tensor.values().data_type()), extents));
    out.set(sparseKey, bytesOf(tensor));
    return out;
}

Result<TensorData> densified(proto::SparseTensorProto& tensor, ExternalData& external,
                             const OnnxLimits& limits) {
    const std::vector<std::int64_t> extents(tensor.dims().begin(), tensor.dims().end());
    if (extents.empty() || static_cast<std::int64_t>(extents.size()) > limits.rank)
        return malformedValue(fmt::format("is sparse with {} dimensions, 1 to {} are possible",
                                          extents.size(), limits.rank));
    FW_TRY(const TensorData values, takeTensor(*tensor.mutable_values(), external, limits));
    FW_TRY(const TensorData indices, takeTensor(*tensor.mutable_indices(), external, limits));
    const auto count = static_cast<std::int64_t>(values.count());
    const auto rank = static_cast<std::int64_t>(extents.size());
    const bool linear = indices.extents() == std::vector{count};
    if (values.extents().size() != 1 || indices.dtype() != DType::I64 ||
        (!linear && indices.extents() != std::vector{count, rank}))
        return malformedValue(
            fmt::format("is sparse with values {} and indices {}: i64[{}] or i64[{}, {}] "
                        "are possible",
                        values.type().text(), indices.type().text(), count, count, rank));
    FW_TRY(const std::int64_t total, checkedCount(extents));
    const std::size_t width = dtypeBytes(values.dtype());
    const auto bytes = checkedMul(total, static_cast<std::int64_t>(width));
    if (!bytes || *bytes > static_cast<std::int64_t>(limits.tensorBytes))
        return makeDiag(DiagCode::LimitReached,
                        fmt::format("is sparse and has {} bytes in full, the limit is {}",
                                    bytes ? std::to_string(*bytes) : "more than 2^63",
                                    limits.tensorBytes));
    std::vector<std::byte> out(static_cast<std::size_t>(*bytes));
    std::int64_t last = -1;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t at = 0;
        if (linear)
            at = indices.integerAt(static_cast<std::size_t>(i));
        for (std::int64_t axis = 0; !linear && axis < rank; ++axis) {
            const std::int64_t extent = extents[static_cast<std::size_t>(axis)];
            const std::int64_t index = indices.integerAt(static_cast<std::size_t>(i * rank + axis));
            if (index < 0 || index >= extent)
                return malformedValue(fmt::format(
                    "is sparse and has an index {} along an axis of {}", index, extent));
            at = at * extent + index;
        }
        if (at < 0 || at >= total)
            return malformedValue(
                fmt::format("is sparse and has an index {} of {} elements", at, total));
        if (at <= last)
            return malformedValue("is sparse and its indices do not ascend");
        last = at;
        std::copy_n(values.bytes().begin() +
                        static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(width),
                    width, out.begin() + at * static_cast<std::ptrdiff_t>(width));
    }
    return TensorData(values.dtype(), extents, std::move(out));
}

Status writeForeignInput(const Node& node, const std::string& name, proto::ValueInfoProto& out) {
    if (!parseAttribute(node.attrs, declarationKey, out))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "the declaration of the input is missing or damaged", {{}, node.name});
    out.set_name(name);
    return {};
}

Status writeForeignConstant(const Node& node, const std::string& name, proto::GraphProto& out) {
    if (node.attrs.has(sparseKey)) {
        auto& sparse = *out.add_sparse_initializer();
        if (parseAttribute(node.attrs, sparseKey, sparse)) {
            sparse.mutable_values()->set_name(name);
            return {};
        }
    } else if (auto& tensor = *out.add_initializer();
               parseAttribute(node.attrs, declarationKey, tensor)) {
        tensor.set_name(name);
        if (const AttrValue* value = node.attrs.find(dataKey))
            if (const auto* data = std::get_if<TensorData>(value))
                tensor.set_raw_data(data->bytes().data(), data->bytes().size());
        return {};
    }
    return makeDiag(DiagCode::UnsupportedAttribute, "the constant is missing or damaged",
                    {{}, node.name});
}

} // namespace fw
