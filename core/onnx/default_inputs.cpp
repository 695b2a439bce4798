#include "onnx/default_inputs.h"

#include "base/files.h"

#include <cstdint>
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

} // namespace

std::set<std::string> defaultInputsOf(std::string_view bytes) {
    std::uint64_t version = 0;
    std::string_view body;
    forFields(bytes, [&](int field, std::uint64_t value, std::string_view part) {
        if (field == irVersion)
            version = value;
        else if (field == graph)
            body = part;
    });
    std::set<std::string> initializers, out;
    if (version < firstIrWithDefaults)
        return out;
    std::set<std::string, std::less<>> inputs;
    forFields(body, [&](int field, std::uint64_t, std::string_view part) {
        if (field == initializer)
            initializers.emplace(bytesOf(part, nameOfTensor));
        else if (field == input)
            inputs.emplace(bytesOf(part, nameOfInput));
    });
    for (const std::string& name : initializers)
        if (inputs.contains(name))
            out.insert(name);
    return out;
}

std::set<std::string> defaultInputs(const std::string& path) {
    const auto file = mapFile(path, std::numeric_limits<std::int32_t>::max());
    return file ? defaultInputsOf(file->text()) : std::set<std::string>();
}

} // namespace fw
