#include "onnx/tensor_proto.h"

#include "base/numbers.h"

#include <array>
#include <fmt/format.h>

namespace fw {

namespace {

struct DtypeRow {
    DType dtype;
    std::int32_t code;
};

constexpr std::array dtypes{
    DtypeRow{DType::F32, proto::TensorProto::FLOAT},
    DtypeRow{DType::U8, proto::TensorProto::UINT8},
    DtypeRow{DType::I8, proto::TensorProto::INT8},
    DtypeRow{DType::U16, proto::TensorProto::UINT16},
    DtypeRow{DType::I16, proto::TensorProto::INT16},
    DtypeRow{DType::I32, proto::TensorProto::INT32},
    DtypeRow{DType::I64, proto::TensorProto::INT64},
    DtypeRow{DType::Text, proto::TensorProto::STRING},
    DtypeRow{DType::Bool, proto::TensorProto::BOOL},
    DtypeRow{DType::F16, proto::TensorProto::FLOAT16},
    DtypeRow{DType::F64, proto::TensorProto::DOUBLE},
    DtypeRow{DType::U32, proto::TensorProto::UINT32},
    DtypeRow{DType::U64, proto::TensorProto::UINT64},
    DtypeRow{DType::BF16, proto::TensorProto::BFLOAT16},
};

// Names of codes that are not element types of ours.
constexpr std::array<std::string_view, 24> codeNames{"undefined",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "",
                                                     "complex64",
                                                     "complex128",
                                                     "",
                                                     "float8e4m3fn",
                                                     "float8e4m3fnuz",
                                                     "float8e5m2",
                                                     "float8e5m2fnuz",
                                                     "uint4",
                                                     "int4",
                                                     "float4e2m1"};

Diag malformed(const std::string& message) {
    return makeDiag(DiagCode::OnnxMalformed, message);
}

// Which of the typed fields an element type is stored in.
enum class Field : std::uint8_t { Float, Int32, Int64, Double, Uint64, Text };

Field fieldOf(DType dtype) {
    switch (dtype) {
    case DType::F32:
        return Field::Float;
    case DType::F64:
        return Field::Double;
    case DType::I64:
        return Field::Int64;
    case DType::U32:
    case DType::U64:
        return Field::Uint64;
    case DType::Text:
        return Field::Text;
    case DType::Bool:
    case DType::I8:
    case DType::U8:
    case DType::I16:
    case DType::U16:
    case DType::I32:
    case DType::F16:
    case DType::BF16:
        return Field::Int32;
    }
    return Field::Int32;
}

struct FieldSize {
    Field field;
    std::string_view name;
    int size;
};

std::array<FieldSize, 6> fieldSizes(const proto::TensorProto& t) {
    return {FieldSize{Field::Float, "float_data", t.float_data_size()},
            FieldSize{Field::Int32, "int32_data", t.int32_data_size()},
            FieldSize{Field::Int64, "int64_data", t.int64_data_size()},
            FieldSize{Field::Double, "double_data", t.double_data_size()},
            FieldSize{Field::Uint64, "uint64_data", t.uint64_data_size()},
            FieldSize{Field::Text, "string_data", t.string_data_size()}};
}

// The list as it is: its elements have the size of the dtype.
template <class T>
TensorData moveList(DType dtype, std::vector<std::int64_t> extents,
                    google::protobuf::RepeatedField<T>* list) {
    auto owner = std::make_shared<google::protobuf::RepeatedField<T>>();
    owner->Swap(list);
    const std::span<const T> values(owner->data(), static_cast<std::size_t>(owner->size()));
    return TensorData(dtype, std::move(extents), std::as_bytes(values), owner);
}

// Elements narrower than the list's: the low bytes of each (little-endian machine).
template <class T>
TensorData narrowList(DType dtype, std::vector<std::int64_t> extents,
                      const google::protobuf::RepeatedField<T>& list) {
    const std::size_t width = dtypeBytes(dtype);
    std::vector<std::byte> bytes(static_cast<std::size_t>(list.size()) * width);
    for (int i = 0; i < list.size(); ++i) {
        const T value = list.Get(i);
        const auto raw = std::as_bytes(std::span(&value, 1));
        std::copy_n(raw.begin(), width,
                    bytes.begin() +
                        static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * width));
    }
    return TensorData(dtype, std::move(extents), std::move(bytes));
}

Result<std::vector<std::int64_t>> checkedExtents(const proto::TensorProto& tensor,
                                                 const OnnxLimits& limits) {
    std::vector<std::int64_t> extents(tensor.dims().begin(), tensor.dims().end());
    if (static_cast<std::int64_t>(extents.size()) > limits.rank)
        return malformed(
            fmt::format("has {} dimensions, the limit is {}", extents.size(), limits.rank));
    for (const std::int64_t extent : extents)
        if (extent < 0)
            return malformed(fmt::format("has a negative dimension: {}", extent));
    return extents;
}

} // namespace

std::optional<DType> dtypeFromOnnx(std::int64_t code) {
    for (const DtypeRow& row : dtypes)
        if (row.code == code)
            return row.dtype;
    return std::nullopt;
}

std::int32_t onnxFromDtype(DType dtype) {
    for (const DtypeRow& row : dtypes)
        if (row.dtype == dtype)
            return row.code;
    return proto::TensorProto::UNDEFINED;
}

std::string onnxDtypeText(std::int64_t code) {
    if (const auto dtype = dtypeFromOnnx(code))
        return std::string(dtypeText(*dtype));
    const bool named = code >= 0 && code < static_cast<std::int64_t>(codeNames.size());
    const std::string_view name =
        named ? codeNames[static_cast<std::size_t>(code)] : std::string_view();
    return name.empty() ? fmt::format("number {}", code) : fmt::format("{} ({})", name, code);
}

Result<TensorData> takeTensor(proto::TensorProto& tensor, ExternalData& external,
                              const OnnxLimits& limits) {
    const auto dtype = dtypeFromOnnx(tensor.data_type());
    if (!dtype)
        return malformed("element type " + onnxDtypeText(tensor.data_type()) + " is not known");
    if (*dtype == DType::Text)
        return makeDiag(DiagCode::DtypeMismatch, "tensors of text are not supported");
    if (tensor.has_segment())
        return malformed("is a segment of a tensor, which is not supported");
    FW_TRY(auto extents, checkedExtents(tensor, limits));
    FW_TRY(const std::int64_t count, checkedCount(extents));
    const auto bytes = checkedMul(count, static_cast<std::int64_t>(dtypeBytes(*dtype)));
    if (!bytes)
        return makeDiag(DiagCode::DimOverflow, "has more bytes than can be counted");
    const auto expected = static_cast<std::uint64_t>(*bytes);

    std::string fields;
    int sources = 0;
    for (const FieldSize& field : fieldSizes(tensor))
        if (field.size > 0) {
            ++sources;
            fields += (fields.empty() ? "" : ", ") + std::string(field.name);
        }
    const bool isExternal = tensor.data_location() == proto::TensorProto::EXTERNAL;
    if (isExternal) {
        if (sources > 0 || !tensor.raw_data().empty())
            return malformed("has both external data and data of its own");
        FW_TRY(auto found, external.read(tensor, expected));
        const auto width = dtypeBytes(*dtype);
        if (reinterpret_cast<std::uintptr_t>(found.bytes.data()) % width !=
            0) // kernels read whole elements
            return TensorData(*dtype, std::move(extents), {found.bytes.begin(), found.bytes.end()});
        return TensorData(*dtype, std::move(extents), found.bytes, found.owner);
    }
    if (!tensor.raw_data().empty()) {
        if (sources > 0)
            return malformed("has its data twice: raw_data and " + fields);
        if (tensor.raw_data().size() != expected)
            return malformed(fmt::format("has {} bytes of data, its shape and type need {}",
                                         tensor.raw_data().size(), expected));
        const std::shared_ptr<const std::string> owner(tensor.release_raw_data());
        return TensorData(*dtype, std::move(extents),
                          std::as_bytes(std::span(owner->data(), owner->size())), owner);
    }
    if (sources > 1)
        return malformed("has its data twice: " + fields);
    const Field field = fieldOf(*dtype);
    for (const FieldSize& entry : fieldSizes(tensor))
        if (entry.size > 0 && entry.field != field)
            return malformed(
                fmt::format("is {} but its data is in {}", dtypeText(*dtype), entry.name));
    for (const FieldSize& entry : fieldSizes(tensor))
        if (entry.field == field && entry.size != count)
            return malformed(
                fmt::format("has {} elements of data, its shape needs {}", entry.size, count));
    switch (field) {
    case Field::Float:
        return moveList(*dtype, std::move(extents), tensor.mutable_float_data());
    case Field::Double:
        return moveList(*dtype, std::move(extents), tensor.mutable_double_data());
    case Field::Int64:
        return moveList(*dtype, std::move(extents), tensor.mutable_int64_data());
    case Field::Uint64:
        if (*dtype == DType::U64)
            return moveList(*dtype, std::move(extents), tensor.mutable_uint64_data());
        return narrowList(*dtype, std::move(extents), tensor.uint64_data());
    case Field::Int32:
        if (*dtype == DType::I32)
            return moveList(*dtype, std::move(extents), tensor.mutable_int32_data());
        return narrowList(*dtype, std::move(extents), tensor.int32_data());
    case Field::Text:
        break;
    }
    return malformed("tensors of text are not supported");
}

void fillTensor(proto::TensorProto& out, const TensorData& data, const std::string& name) {
    out.set_name(name);
    out.set_data_type(onnxFromDtype(data.dtype()));
    for (const std::int64_t extent : data.extents())
        out.add_dims(extent);
    out.set_raw_data(data.bytes().data(), data.bytes().size());
}

} // namespace fw
