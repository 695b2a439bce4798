#include "onnx/model/model_bytes.h"

#include "base/mapped_pages.h"
#include "onnx/model/names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <optional>
#include <span>

namespace fw {

namespace {

using namespace std::string_view_literals;

struct Magic {
    std::size_t offset;
    std::string_view bytes;
    std::string_view kind;
};

constexpr std::array magics{
    Magic{0, "\x89PNG"sv, "a PNG picture"},
    Magic{0, "\xff\xd8\xff"sv, "a JPEG picture"},
    Magic{0, "PK\x03\x04"sv, "a ZIP archive (a PyTorch checkpoint or .npz?)"},
    Magic{0, "\x1f\x8b"sv, "a gzip file"},
    Magic{0, "\x28\xb5\x2f\xfd"sv, "a zstd file"},
    Magic{0,
          "\xfd"
          "7zXZ\0"sv,
          "an xz file"},
    Magic{0, "BZh"sv, "a bzip2 file"},
    Magic{0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    Magic{0, "Rar!\x1a\x07"sv, "a RAR archive"},
    Magic{257, "ustar"sv, "a tar archive"},
    Magic{0, "GGUF"sv, "a GGUF file (weights without a graph)"},
    Magic{0, "%PDF"sv, "a PDF document"},
    Magic{0,
          "\x7f"
          "ELF"sv,
          "a program or shared library"},
    Magic{0, "\x89HDF"sv, "an HDF5 file (a Keras model?)"},
    Magic{0, "\x93NUMPY"sv, "a NumPy array"},
    Magic{0, "\x80\x02"sv, "a Python pickle (a PyTorch checkpoint?)"},
    Magic{0, "\x80\x03"sv, "a Python pickle (a PyTorch checkpoint?)"},
    Magic{0, "\x80\x04"sv, "a Python pickle (a PyTorch checkpoint?)"},
    Magic{0, "\x80\x05"sv, "a Python pickle (a PyTorch checkpoint?)"},
    Magic{4, "TFL3"sv, "a TensorFlow Lite model"},
    Magic{4, "ORTM"sv, "an ONNX Runtime .ort model"},
    Magic{8, "{\""sv, "a safetensors file (weights without a graph)"},
    Magic{0, "version https://git-lfs"sv,
          "a Git LFS pointer; fetch the real file with `git lfs pull`"},
    Magic{0, "#!"sv, "a script"},
    Magic{0, "\xff\xfe"sv, "a text in UTF-16"},
    Magic{0, "\xfe\xff"sv, "a text in UTF-16"},
};

// Of texts, which may begin with blanks: in small letters.
constexpr std::array texts{
    Magic{0, "<!doctype html"sv, "an HTML page"},
    Magic{0, "<html"sv, "an HTML page"},
    Magic{0, "<head"sv, "an HTML page"},
    Magic{0, "<body"sv, "an HTML page"},
    Magic{0, "<!doctype"sv, "an HTML page"},
    Magic{0, "<!--"sv, "an HTML page or XML file"},
    Magic{0, "<?xml"sv, "an XML file"},
    Magic{0, "{"sv, "a JSON text"},
    Magic{0, "["sv, "a JSON text"},
};

// Follows the wire format just deep enough to say where it stops making sense.
struct Fault {
    std::string place; // "graph.node[12]"
    bool cutShort = false;
};

struct Child {
    std::string_view parent; // type of message
    std::uint64_t field;
    std::string_view name;
    std::string_view type; // empty: not looked into
};

constexpr std::array children{
    Child{"model", 7, "graph", "graph"},      Child{"model", 8, "opset_import", ""},
    Child{"model", 14, "metadata_props", ""}, Child{"model", 25, "functions", ""},
    Child{"graph", 1, "node", "node"},        Child{"graph", 5, "initializer", "tensor"},
    Child{"graph", 11, "input", ""},          Child{"graph", 12, "output", ""},
    Child{"graph", 13, "value_info", ""},     Child{"node", 5, "attribute", ""},
    Child{"tensor", 9, "raw_data", ""},
};

std::optional<std::uint64_t> readVarint(std::string_view bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (at >= bytes.size())
            return std::nullopt;
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        if (shift < 64)
            value |= static_cast<std::uint64_t>(byte & 0x7fu) << shift;
        if ((byte & 0x80u) == 0)
            return value;
    }
    return std::nullopt;
}

const Child* childOf(std::string_view type, std::uint64_t field) {
    for (const Child& child : children)
        if (child.parent == type && child.field == field)
            return &child;
    return nullptr;
}

std::optional<Fault> scan(std::string_view bytes, std::string_view type, const std::string& path) {
    std::array<int, 32> seen{};
    std::size_t at = 0;
    const auto fault = [&](bool cutShort) { return Fault{path, cutShort}; };
    while (at < bytes.size()) {
        const auto tag = readVarint(bytes, at);
        if (!tag)
            return fault(at >= bytes.size());
        const std::uint64_t field = *tag >> 3;
        if (field == 0)
            return fault(false);
        switch (*tag & 7) {
        case 0:
            if (!readVarint(bytes, at))
                return fault(at >= bytes.size());
            break;
        case 1:
        case 5: {
            const std::size_t size = (*tag & 7) == 1 ? 8 : 4;
            if (bytes.size() - at < size)
                return fault(true);
            at += size;
            break;
        }
        case 2: {
            const auto length = readVarint(bytes, at);
            if (!length)
                return fault(at >= bytes.size());
            const Child* child = childOf(type, field);
            std::string inner = path;
            if (child) {
                inner += (path.empty() ? "" : ".") + std::string(child->name);
                if (field < seen.size() && child->name != "graph" && child->name != "raw_data")
                    inner += fmt::format("[{}]", seen[field]++);
            }
            const bool cut = *length > bytes.size() - at;
            const auto body = bytes.substr(at, cut ? bytes.size() - at : *length);
            if (child && !child->type.empty())
                if (auto deeper = scan(body, child->type, inner);
                    deeper && (cut || !deeper->cutShort))
                    return deeper;
            if (cut)
                return Fault{inner, true};
            at += *length;
            break;
        }
        default: // groups are not in the format of ONNX, but legal to skip; protobuf decides
            return std::nullopt;
        }
    }
    return std::nullopt;
}

constexpr const char* opened =
    "an .onnx file, a folder with model.onnx in it or a graph as .fw text is opened";
constexpr const char* fetchAgain = "copy or download the file again";

Diag notOnnx(const std::string& file, std::string message, const char* hint = opened) {
    return makeDiag(DiagCode::NotOnnx, std::move(message), {file}, hint);
}

// The first line, if all that is looked at could be text; empty otherwise.
std::string firstLine(std::string_view bytes) {
    constexpr std::size_t looked = 4096, shown = 40;
    const auto isControl = [](char c) {
        return static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\r' && c != '\t';
    };
    bytes = bytes.substr(0, looked);
    if (std::any_of(bytes.begin(), bytes.end(), isControl))
        return {};
    const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos)
        return {};
    const std::string_view line = bytes.substr(begin, bytes.find_first_of("\r\n", begin) - begin);
    std::size_t end = std::min(line.size(), shown);
    while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80)
        --end; // not inside of a character
    const std::string text(line.substr(0, end));
    return cleanText(text) != text ? "" : end < line.size() ? text + "..." : text;
}

// Whether a field of a model may begin with this byte: its number, and how its value is written.
bool mayBeginModel(unsigned char byte) {
    const int field = (byte & 0x7f) >> 3, wire = byte & 7;
    return field > 0 && (wire == 0 || wire == 2) && (field <= 8 || field == 14);
}

// No model, for none of the reasons that are known better.
Diag foreign(std::string_view bytes, const OnnxLimits& limits, const std::string& file) {
    if (const std::string line = firstLine(bytes); !line.empty())
        return notOnnx(file,
                       fmt::format("this is text, not an ONNX model: it begins with \"{}\"", line));
    if (mayBeginModel(static_cast<unsigned char>(bytes[0])))
        return notOnnx(file, fmt::format("not an ONNX model, or nested deeper than {} messages",
                                         limits.nesting));
    std::string first;
    for (const char byte : bytes.substr(0, 4))
        first += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
    return notOnnx(file,
                   fmt::format("not an ONNX model: it begins with the bytes{}, which no field "
                               "of a model does",
                               first));
}

} // namespace

std::string_view foreignKind(std::string_view bytes) {
    for (const Magic& magic : magics)
        if (bytes.size() >= magic.offset + magic.bytes.size() &&
            bytes.substr(magic.offset, magic.bytes.size()) == magic.bytes)
            return magic.kind;
    constexpr std::string_view mark = "\xef\xbb\xbf"; // of UTF-8
    if (bytes.starts_with(mark))
        bytes.remove_prefix(mark.size());
    bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n\f\v"sv), bytes.size()));
    if (bytes.empty())
        return "a file of blanks";
    std::string begin(bytes.substr(0, 32));
    for (char& c : begin)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const Magic& text : texts)
        if (begin.starts_with(text.bytes))
            return text.kind;
    return {};
}

namespace {

// Reads bytes block by block and gives the pages of a mapped file back behind it: what is parsed
// holds its own copy of the weights.
class ReleasedBehind : public google::protobuf::io::ZeroCopyInputStream {
public:
    explicit ReleasedBehind(std::string_view bytes) : m_bytes(bytes) {}

    bool Next(const void** data, int* size) override {
        releasePages(std::as_bytes(std::span(m_bytes.substr(m_released, m_at - m_released))));
        m_released = m_at;
        const auto block = m_bytes.substr(m_at, blockBytes);
        *data = block.data();
        *size = static_cast<int>(block.size());
        m_at += block.size();
        return !block.empty();
    }
    void BackUp(int count) override { m_at -= static_cast<std::size_t>(count); }
    bool Skip(int count) override {
        const auto step = std::min(static_cast<std::size_t>(count), m_bytes.size() - m_at);
        m_at += step;
        return step == static_cast<std::size_t>(count);
    }
    int64_t ByteCount() const override { return static_cast<int64_t>(m_at); }

private:
    static constexpr std::size_t blockBytes = std::size_t{4} << 20;
    std::string_view m_bytes;
    std::size_t m_at = 0;
    std::size_t m_released = 0; // at most m_at
};

} // namespace

Result<std::unique_ptr<proto::ModelProto>>
parseModel(std::string_view bytes, const OnnxLimits& limits, const std::string& file) {
    if (bytes.empty())
        return notOnnx(file, "the file is empty", fetchAgain);
    if (bytes.size() > limits.fileBytes)
        return makeDiag(
            DiagCode::FileTooLarge,
            fmt::format("has {} bytes, the limit is {}", bytes.size(), limits.fileBytes), {file},
            "models over 2 GiB must keep their weights in external files");
    auto model = std::make_unique<proto::ModelProto>();
    ReleasedBehind blocks(bytes);
    google::protobuf::io::CodedInputStream stream(&blocks);
    stream.SetTotalBytesLimit(0x7fffffff);
    stream.SetRecursionLimit(limits.nesting);
    if (!model->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
        const auto kind = foreignKind(bytes);
        if (!kind.empty())
            return notOnnx(file, fmt::format("this is {}, not an ONNX model", kind));
        const auto fault = scan(bytes, "model", "");
        if (fault && fault->cutShort)
            return firstLine(bytes).empty()
                       ? notOnnx(file,
                                 fmt::format("cut short at byte {}{}", bytes.size(),
                                             fault->place.empty() ? "" : " inside " + fault->place),
                                 fetchAgain)
                       : foreign(bytes, limits, file);
        if (fault && !fault->place.empty())
            return notOnnx(file,
                           fmt::format("not an ONNX model, or damaged inside {}", fault->place),
                           fetchAgain);
        return foreign(bytes, limits, file);
    }
    if (!model->has_graph()) {
        const auto kind = foreignKind(bytes);
        if (!kind.empty())
            return notOnnx(file, fmt::format("this is {}, not an ONNX model", kind));
        return notOnnx(file, "holds no graph: not an ONNX model, or cut short", fetchAgain);
    }
    return model;
}

} // namespace fw
