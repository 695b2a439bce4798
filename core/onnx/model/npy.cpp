#include "onnx/model/npy.h"

#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace fw {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY"sv;

struct NpyType {
    DType dtype;
    std::string_view text;
};
constexpr std::array npyTypes{
    NpyType{DType::F32, "<f4"}, NpyType{DType::F64, "<f8"}, NpyType{DType::F16, "<f2"},
    NpyType{DType::I64, "<i8"}, NpyType{DType::I32, "<i4"}, NpyType{DType::I16, "<i2"},
    NpyType{DType::I8, "|i1"},  NpyType{DType::U64, "<u8"}, NpyType{DType::U32, "<u4"},
    NpyType{DType::U16, "<u2"}, NpyType{DType::U8, "|u1"},  NpyType{DType::Bool, "|b1"}};

Diag bad(const std::string& message) {
    return makeDiag(DiagCode::OnnxMalformed, "not a usable .npy file: " + message);
}

// The value after 'key': in the header's Python dictionary, up to the next comma outside of
// brackets.
std::optional<std::string> entry(std::string_view header, std::string_view key) {
    auto at = header.find(fmt::format("'{}'", key));
    if (at == std::string_view::npos)
        return std::nullopt;
    at = header.find(':', at);
    if (at == std::string_view::npos)
        return std::nullopt;
    std::string out;
    int depth = 0;
    for (++at; at < header.size(); ++at) {
        const char c = header[at];
        if (depth == 0 && (c == ',' || c == '}'))
            break;
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (c != ' ')
            out += c;
    }
    return out;
}

// Elements of which the first index runs fastest, so that the last one does.
std::vector<std::byte> rowMajor(const std::vector<std::byte>& elements,
                                const std::vector<std::int64_t>& extents, std::size_t bytesEach) {
    std::vector<std::byte> out;
    out.reserve(elements.size());
    std::vector<std::size_t> strides;
    std::size_t stride = bytesEach;
    for (const std::int64_t extent : extents) {
        strides.push_back(stride);
        stride *= static_cast<std::size_t>(extent);
    }
    std::vector<std::int64_t> index(extents.size(), 0);
    std::size_t at = 0;
    while (out.size() < elements.size()) {
        out.insert(out.end(), elements.begin() + static_cast<std::ptrdiff_t>(at),
                   elements.begin() + static_cast<std::ptrdiff_t>(at + bytesEach));
        for (std::size_t axis = extents.size(); axis-- > 0;) {
            at += strides[axis];
            if (++index[axis] < extents[axis])
                break;
            at -= strides[axis] * static_cast<std::size_t>(extents[axis]);
            index[axis] = 0;
        }
    }
    return out;
}

} // namespace

Result<TensorData> parseNpy(std::string_view bytes) {
    if (bytes.substr(0, magic.size()) != magic || bytes.size() < 12)
        return bad("it does not begin with the mark of NumPy");
    const auto byteAt = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
    };
    const std::size_t version = byteAt(6);
    if (version < 1 || version > 3)
        return bad(fmt::format("version {} is not known", version));
    const std::size_t start = version == 1 ? 10 : 12;
    const std::size_t length =
        version == 1 ? byteAt(8) | byteAt(9) << 8
                     : byteAt(8) | byteAt(9) << 8 | byteAt(10) << 16 | byteAt(11) << 24;
    if (length > bytes.size() - start)
        return bad("its header is cut short");
    const std::string_view header = bytes.substr(start, length);
    const auto descr = entry(header, "descr");
    const auto order = entry(header, "fortran_order");
    const auto shape = entry(header, "shape");
    if (!descr || !order || !shape || descr->size() < 2 || shape->size() < 2 ||
        shape->front() != '(' || shape->back() != ')')
        return bad("its header lacks descr, fortran_order or shape");
    if (*order != "False" && *order != "True")
        return bad("its fortran_order is neither True nor False");
    const std::string type = descr->substr(1, descr->size() - 2);
    const bool bigEndian = type.starts_with('>');
    const NpyType* row = nullptr;
    for (const NpyType& candidate : npyTypes)
        if (candidate.text.substr(1) == std::string_view(type).substr(1) &&
            std::string_view("<>|=").find(type[0]) != std::string_view::npos)
            row = &candidate;
    if (!row)
        return bad(
            fmt::format("element type {} is not supported (numbers and booleans are)", *descr));
    std::vector<std::int64_t> extents;
    for (std::size_t at = 1; at + 1 < shape->size();) {
        const std::size_t end = std::min(shape->find(',', at), shape->size() - 1);
        const auto extent = parseInteger(std::string_view(*shape).substr(at, end - at));
        if (!extent || *extent < 0 || extents.size() >= 64)
            return bad("its shape is not a list of sizes: " + *shape);
        extents.push_back(*extent);
        at = end + 1;
    }
    FW_TRY(const std::int64_t count, checkedCount(extents));
    const auto needed = checkedMul(count, static_cast<std::int64_t>(dtypeBytes(row->dtype)));
    const std::string_view body = bytes.substr(start + length);
    if (!needed || static_cast<std::uint64_t>(*needed) != body.size())
        return bad(fmt::format("it has {} bytes of data, its shape needs {}", body.size(),
                               needed ? std::to_string(*needed) : "more than can be counted"));
    const auto raw = std::as_bytes(std::span(body.data(), body.size()));
    std::vector<std::byte> elements(raw.begin(), raw.end());
    const std::size_t bytesEach = dtypeBytes(row->dtype);
    if (bigEndian)
        for (auto at = elements.begin(); at != elements.end();
             at += static_cast<std::ptrdiff_t>(bytesEach))
            std::reverse(at, at + static_cast<std::ptrdiff_t>(bytesEach));
    if (*order == "True")
        elements = rowMajor(elements, extents, bytesEach);
    return TensorData(row->dtype, std::move(extents), std::move(elements));
}

bool npyHolds(DType dtype) {
    return std::any_of(npyTypes.begin(), npyTypes.end(),
                       [&](const NpyType& row) { return row.dtype == dtype; });
}

Result<std::string> npyBytes(const TensorData& data) {
    std::string_view type;
    for (const NpyType& row : npyTypes)
        if (row.dtype == data.dtype())
            type = row.text;
    if (type.empty())
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("NumPy has no element type {}", dtypeText(data.dtype())), {},
                        "write a .pb file");
    std::string shape;
    for (const std::int64_t extent : data.extents())
        shape += std::to_string(extent) + (data.extents().size() == 1 ? "," : ", ");
    if (data.extents().size() > 1)
        shape.resize(shape.size() - 2);
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    std::string out(magic);
    out += '\x01';
    out += '\0';
    out += static_cast<char>(header.size() & 0xff);
    out += static_cast<char>(header.size() >> 8);
    out += header;
    const auto bytes = data.bytes();
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return out;
}

} // namespace fw
