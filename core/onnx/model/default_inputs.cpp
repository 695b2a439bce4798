#include "onnx/model/default_inputs.h"

#include "base/files.h"
#include "onnx/model/names.h"
#include "onnx/model/tensor_proto.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <limits>

namespace fw {

namespace {

// The fields of a message, as far as it makes sense: visit(number, value of a varint, bytes).
template <class Visit>
void forFields(std::string_view message, const Visit& visit) {
    if (message.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return;
    google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(message.data()),
                                              static_cast<int>(message.size()));
    while (const std::uint32_t tag = in.ReadTag()) {
        const int field = static_cast<int>(tag >> 3);
        switch (tag & 7) {
        case 0: {
            std::uint64_t value = 0;
            if (!in.ReadVarint64(&value))
                return;
            visit(field, value, std::string_view());
            break;
        }
        case 2: {
            std::uint32_t length = 0;
            if (!in.ReadVarint32(&length))
                return;
            const auto start = static_cast<std::size_t>(in.CurrentPosition());
            if (length > message.size() - start || !in.Skip(static_cast<int>(length)))
                return;
            visit(field, std::uint64_t{0}, message.substr(start, length));
            break;
        }
        case 1:
        case 5:
            if (!in.Skip((tag & 7) == 1 ? 8 : 4))
                return;
            break;
        default:
            return;
        }
    }
}

std::string_view bytesOf(std::string_view message, int wanted) {
    std::string_view out;
    forFields(message, [&](int field, std::uint64_t, std::string_view bytes) {
        if (field == wanted)
            out = bytes;
    });
    return out;
}

// Numbers of fields in onnx.proto.
constexpr int irVersion = 1, graph = 7, initializer = 5, input = 11, nameOfTensor = 8,
              nameOfInput = 1;

struct Weights {
    bool areDefaults = false; // those that are inputs
    std::set<std::string> all;
    std::map<std::string, std::string_view> inputs; // each as a ValueInfoProto
};

Weights weightsOf(std::string_view bytes) {
    std::uint64_t version = 0;
    std::string_view body;
    forFields(bytes, [&](int field, std::uint64_t value, std::string_view part) {
        if (field == irVersion)
            version = value;
        else if (field == graph)
            body = part;
    });
    Weights out;
    out.areDefaults = version >= firstIrWithDefaults;
    forFields(body, [&](int field, std::uint64_t, std::string_view part) {
        if (field == initializer)
            out.all.emplace(bytesOf(part, nameOfTensor));
        else if (field == input)
            out.inputs.emplace(bytesOf(part, nameOfInput), part);
    });
    return out;
}

} // namespace

DeclaredTensor declaredTensor(std::string_view bytes) {
    DeclaredTensor out;
    proto::ValueInfoProto value;
    if (!value.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
        !value.type().has_tensor_type())
        return out;
    const auto& type = value.type().tensor_type();
    out.dtype = dtypeFromOnnx(type.elem_type());
    out.text = out.dtype ? std::string(dtypeText(*out.dtype)) : std::string();
    if (!type.has_shape())
        return out;
    out.dims.emplace();
    std::string sizes;
    for (const auto& dim : type.shape().dim()) {
        const bool isKnown = dim.has_dim_value() && dim.dim_value() >= 0;
        out.dims->push_back(isKnown ? std::optional(dim.dim_value()) : std::nullopt);
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ",
                             isKnown                   ? std::to_string(dim.dim_value())
                             : dim.dim_param().empty() ? "?"
                                                       : cleanText(dim.dim_param()));
    }
    out.text += fmt::format("[{}]", sizes);
    return out;
}

bool DeclaredTensor::takes(const TensorType& type) const {
    if ((dtype && *dtype != type.dtype) || (dims && dims->size() != type.rank()))
        return false;
    for (std::size_t i = 0; dims && i < dims->size(); ++i)
        if (const auto given = type.shape[i].asInt(); (*dims)[i] && given && *given != (*dims)[i])
            return false;
    return true;
}

std::map<std::string, DeclaredTensor> defaultInputsOf(std::string_view bytes) {
    const Weights weights = weightsOf(bytes);
    std::map<std::string, DeclaredTensor> out;
    for (const auto& [name, input] : weights.inputs)
        if (weights.areDefaults && weights.all.contains(name))
            out.emplace(name, declaredTensor(input));
    return out;
}

std::map<std::string, DeclaredTensor> defaultInputs(const std::string& path) {
    const auto file = mapFile(path, std::numeric_limits<std::int32_t>::max());
    return file ? defaultInputsOf(file->text()) : std::map<std::string, DeclaredTensor>();
}

std::string weightIsNotGiven(const std::string& name, bool isListed) {
    return isListed ? fmt::format("{} is a weight of the model, which cannot be given: before IR "
                                  "version {} weights are listed among the inputs",
                                  cleanText(name), firstIrWithDefaults)
                    : fmt::format("{} is a weight of the model, no input of it", cleanText(name));
}

std::string whyNotGiven(const std::string& path, const std::string& name, const TensorType& type) {
    const auto file = mapFile(path, std::numeric_limits<std::int32_t>::max());
    const Weights weights = file ? weightsOf(file->text()) : Weights{};
    if (!weights.all.contains(name))
        return {};
    const auto listed = weights.inputs.find(name);
    if (listed == weights.inputs.end() || !weights.areDefaults)
        return weightIsNotGiven(name, listed != weights.inputs.end());
    const DeclaredTensor wanted = declaredTensor(listed->second);
    return wanted.takes(type) ? std::string()
                              : fmt::format("input {} must be {}, got {}", cleanText(name),
                                            wanted.text, type.text());
}

} // namespace fw
