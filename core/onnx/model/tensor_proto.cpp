#include "onnx/model/tensor_proto.h"

#include "base/numbers.h"

#include <algorithm>
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

// Which of the typed fields an element type is stored in.
enum class Field : std::uint8_t { Float, Int32, Int64, Double, Uint64, Text };

// Element types of ONNX that are none of ours.
struct ForeignRow {
    std::int32_t code;
    std::string_view name;
    int bits;    // of an element as raw data; 0: it has no such form
    Field field; // of its typed data
};
constexpr std::array foreignRows{
    ForeignRow{proto::TensorProto::STRING, "text", 0, Field::Text},
    ForeignRow{proto::TensorProto::COMPLEX64, "complex64", 64, Field::Float},
    ForeignRow{proto::TensorProto::COMPLEX128, "complex128", 128, Field::Double},
    ForeignRow{17, "float8e4m3fn", 8, Field::Int32},
    ForeignRow{18, "float8e4m3fnuz", 8, Field::Int32},
    ForeignRow{19, "float8e5m2", 8, Field::Int32},
    ForeignRow{20, "float8e5m2fnuz", 8, Field::Int32},
    ForeignRow{21, "uint4", 4, Field::Int32},
    ForeignRow{22, "int4", 4, Field::Int32},
    ForeignRow{23, "float4e2m1", 4, Field::Int32},
    ForeignRow{24, "float8e8m0", 8, Field::Int32},
    ForeignRow{25, "uint2", 2, Field::Int32},
    ForeignRow{26, "int2", 2, Field::Int32},
};

const ForeignRow* foreignRow(std::int64_t code) {
    for (const ForeignRow& row : foreignRows)
        if (row.code == code)
            return &row;
    return nullptr;
}

Diag malformed(const std::string& message) {
    return makeDiag(DiagCode::OnnxMalformed, message);
}

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
    if (code == proto::TensorProto::UNDEFINED)
        return "undefined (0)";
    const ForeignRow* row = foreignRow(code);
    return row == nullptr ? fmt::format("number {}", code)
                          : fmt::format("{} ({})", row->name, code);
}

Result<TensorData> takeTensor(proto::TensorProto& tensor, ExternalData& external,
                              const OnnxLimits& limits) {
    const auto dtype = dtypeFromOnnx(tensor.data_type());
    if (const ForeignRow* row = foreignRow(tensor.data_type()))
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("tensors of {} are not supported", row->name));
    if (!dtype)
        return malformed("element type " + onnxDtypeText(tensor.data_type()) + " is not known");
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
                                         tensor.raw_data().size(), expected))
                .advise("the file is damaged, or was written wrongly: copy or export it again");
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

std::string foreignElement(std::int64_t code) {
    const ForeignRow* row = foreignRow(code);
    return row == nullptr ? std::string() : std::string(row->name);
}

Result<ForeignTensor> takeForeignTensor(proto::TensorProto& tensor, ExternalData& external,
                                        const OnnxLimits& limits) {
    const ForeignRow& row = *foreignRow(tensor.data_type());
    if (tensor.has_segment())
        return malformed("is a segment of a tensor, which is not supported");
    FW_TRY(const auto extents, checkedExtents(tensor, limits));
    FW_TRY(const std::int64_t count, checkedCount(extents));
    const auto bits = checkedMul(count, std::max(row.bits, 1));
    if (!bits)
        return makeDiag(DiagCode::DimOverflow, "has more bytes than can be counted");
    const std::int64_t bytes = *bits / 8 + (*bits % 8 != 0 ? 1 : 0);
    ForeignTensor out;
    out.type = std::string(row.name) + shapeText(fixedShape(extents));
    const FieldSize* given = nullptr;
    const auto sizes = fieldSizes(tensor);
    const bool isExternal = tensor.data_location() == proto::TensorProto::EXTERNAL;
    bool twice = isExternal && !tensor.raw_data().empty();
    for (const FieldSize& field : sizes)
        if (field.size > 0) {
            twice = twice || given != nullptr || isExternal || !tensor.raw_data().empty();
            given = &field;
        }
    if (twice)
        return malformed("has its data twice");
    if (given != nullptr && given->field != row.field)
        return malformed(fmt::format("is {} but its data is in {}", row.name, given->name));
    if (row.bits == 0 && (isExternal || !tensor.raw_data().empty()))
        return malformed(fmt::format("is {} but its data is raw", row.name));
    if (isExternal) {
        FW_TRY(const ExternalBytes found, external.read(tensor, static_cast<std::uint64_t>(bytes)));
        out.data = TensorData(DType::U8, {bytes}, found.bytes, found.owner);
        tensor.clear_external_data();
        tensor.clear_data_location();
    } else if (!tensor.raw_data().empty()) {
        if (static_cast<std::int64_t>(tensor.raw_data().size()) != bytes)
            return malformed(fmt::format("has {} bytes of data, its shape and type need {}",
                                         tensor.raw_data().size(), bytes));
        const std::shared_ptr<const std::string> owner(tensor.release_raw_data());
        out.data = TensorData(DType::U8, {bytes},
                              std::as_bytes(std::span(owner->data(), owner->size())), owner);
    } else {
        // Numbers of less than a byte lie alone in an entry, or as many as fit into a byte.
        const std::int64_t size = given == nullptr ? 0 : given->size;
        const std::int64_t perElement = row.field == Field::Float || row.field == Field::Double
                                            ? 2 // real and imaginary part
                                            : 1;
        const auto wanted = checkedMul(count, perElement);
        if (!wanted || (size != *wanted && (row.bits == 0 || row.bits >= 8 || size != bytes)))
            return malformed(fmt::format("has {} elements of data, its shape needs {}", size,
                                         wanted.value_or(count)));
    }
    out.header = tensor.SerializeAsString();
    return out;
}

void fillTensor(proto::TensorProto& out, const TensorData& data, const std::string& name) {
    out.set_name(name);
    out.set_data_type(onnxFromDtype(data.dtype()));
    for (const std::int64_t extent : data.extents())
        out.add_dims(extent);
    out.set_raw_data(data.bytes().data(), data.bytes().size());
}

} // namespace fw
