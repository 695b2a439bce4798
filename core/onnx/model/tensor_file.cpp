#include "onnx/model/tensor_file.h"

#include "base/files.h"
#include "onnx/model/model_bytes.h"
#include "onnx/model/names.h"
#include "onnx/model/npy.h"
#include "onnx/model/tensor_proto.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <map>
#include <optional>
#include <set>

namespace fw {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t maxTensorFile = 1ull << 40;

Result<NamedTensor> parseTensorProto(std::string_view bytes) {
    proto::TensorProto tensor;
    if (bytes.size() > 0x7fffffff ||
        !tensor.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return makeDiag(DiagCode::OnnxMalformed,
                        "is neither a TensorProto nor a .npy file, or it is cut short");
    // A tensor file never refers to another file.
    ExternalData none({}, {});
    const std::string name = tensor.name();
    FW_TRY(auto data, takeTensor(tensor, none, {}));
    return NamedTensor{name, std::move(data)};
}

std::vector<std::string> numberedFiles(const fs::path& folder, const std::string& stem) {
    std::vector<std::string> out;
    for (std::size_t i = 0;; ++i) {
        std::error_code error;
        const fs::path pb = folder / fmt::format("{}_{}.pb", stem, i);
        const fs::path npy = folder / fmt::format("{}_{}.npy", stem, i);
        if (fs::exists(pb, error))
            out.push_back(pb.string());
        else if (fs::exists(npy, error))
            out.push_back(npy.string());
        else
            return out;
    }
}

} // namespace

Result<NamedTensor> readTensorFile(const std::string& path) {
    FW_TRY(const auto file, mapFile(path, maxTensorFile));
    const std::string_view bytes = file.text();
    if (bytes.empty())
        return makeDiag(DiagCode::OnnxMalformed, "the file is empty", {path});
    auto read =
        bytes.substr(0, 6) == std::string_view("\x93NUMPY", 6) ? [&]() -> Result<NamedTensor> {
        FW_TRY(auto data, parseNpy(bytes));
        return NamedTensor{{}, std::move(data)};
    }()
        : parseTensorProto(bytes);
    if (!read)
        return read.takeDiag().at({path});
    return read;
}

std::string tensorProtoBytes(const NamedTensor& tensor) {
    proto::TensorProto message;
    fillTensor(message, tensor.data, tensor.name);
    std::string out;
    {
        google::protobuf::io::StringOutputStream stream(&out);
        google::protobuf::io::CodedOutputStream coded(&stream);
        coded.SetSerializationDeterministic(true);
        message.SerializeToCodedStream(&coded);
    }
    return out;
}

Status writeTensorFile(const std::string& path, const NamedTensor& tensor) {
    if (!path.ends_with(".npy"))
        return writeFile(path, tensorProtoBytes(tensor));
    auto bytes = npyBytes(tensor.data);
    if (!bytes)
        return bytes.takeDiag().at({path});
    return writeFile(path, *bytes);
}

bool isTestFolder(const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(fs::path(path) / "model.onnx", error);
}

Result<TestFolder> findTestData(const std::string& folder) {
    if (!isTestFolder(folder))
        return makeDiag(DiagCode::FileMissing, "holds no model.onnx", {folder});
    TestFolder out;
    out.model = (fs::path(folder) / "model.onnx").string();
    std::map<std::uint64_t, fs::path> sets; // by number, of which some may be left out
    std::error_code error;
    for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
        constexpr std::string_view stem = "test_data_set_";
        const std::string name = at->path().filename().string();
        std::uint64_t number = 0;
        const char* const end = name.data() + name.size();
        std::error_code ignored;
        if (name.size() > stem.size() && name.starts_with(stem) &&
            std::from_chars(name.data() + stem.size(), end, number).ptr == end &&
            at->is_directory(ignored))
            sets.emplace(number, at->path());
    }
    if (error)
        return makeDiag(DiagCode::FileMissing, "cannot be read: " + error.message(), {folder});
    for (const auto& [number, set] : sets)
        out.sets.push_back(
            {set.string(), numberedFiles(set, "input"), numberedFiles(set, "output")});
    return out;
}

Result<std::vector<DeclaredInput>> declaredInputs(const std::string& path) {
    const OnnxLimits limits;
    FW_TRY(const auto file, mapFile(path, limits.fileBytes));
    FW_TRY(const auto model, parseModel(file.text(), limits, path));
    std::set<std::string_view> weights;
    for (const auto& tensor : model->graph().initializer())
        weights.insert(tensor.name());
    std::vector<DeclaredInput> out;
    for (const auto& input : model->graph().input()) {
        const auto& tensor = input.type().tensor_type();
        const bool isTyped =
            input.type().has_tensor_type()
                ? tensor.elem_type() != proto::TensorProto::UNDEFINED && tensor.has_shape()
                : input.type().value_case() != proto::TypeProto::VALUE_NOT_SET;
        out.push_back({cleanText(input.name()), isTyped, weights.contains(input.name()),
                       declaredTensor(input.SerializeAsString())});
    }
    return out;
}

namespace {

// ": b, c are missing"
std::string missingText(const std::vector<std::string>& names,
                        const std::vector<NamedTensor>& tensors) {
    std::string list;
    std::size_t count = 0;
    for (const std::string& name : names)
        if (std::none_of(tensors.begin(), tensors.end(),
                         [&](const NamedTensor& tensor) { return tensor.name == name; })) {
            list += (count++ == 0 ? ": " : ", ") + name;
        }
    return list + (count == 0 ? "" : count == 1 ? " is missing" : " are missing");
}

} // namespace

Result<std::vector<TensorData>> matchTensors(const std::vector<std::string>& names,
                                             std::vector<NamedTensor> tensors) {
    const auto mismatch = [](const std::string& message) {
        return makeDiag(DiagCode::InputMismatch, message);
    };
    if (tensors.size() != names.size())
        return mismatch(fmt::format("{} tensors are given, {} are needed{}", tensors.size(),
                                    names.size(), missingText(names, tensors)));
    std::vector<std::optional<TensorData>> slots(names.size());
    std::vector<std::size_t> unnamed;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto place = std::find(names.begin(), names.end(), tensors[i].name);
        if (tensors[i].name.empty() || place == names.end()) {
            unnamed.push_back(i);
            continue;
        }
        auto& slot = slots[static_cast<std::size_t>(place - names.begin())];
        if (slot)
            return mismatch(fmt::format("'{}' is given twice", tensors[i].name));
        slot = std::move(tensors[i].data);
    }
    for (const std::size_t i : unnamed) {
        if (slots[i])
            return mismatch(
                fmt::format("'{}' is not the name of an input, and its place is taken by '{}'",
                            tensors[i].name, names[i]));
        slots[i] = std::move(tensors[i].data);
    }
    std::vector<TensorData> out;
    for (auto& slot : slots)
        out.push_back(std::move(*slot));
    return out;
}

} // namespace fw
