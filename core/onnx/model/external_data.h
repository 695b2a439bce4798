// The one place that opens files named by a model. A model is a stranger's text: it may reach only
// regular files inside its own folder, never through `..`, an absolute path, a link (symbolic or
// hard) or a device. Every folder on the way is opened without following links.
#pragma once

#include "base/files.h"
#include "onnx/model/limits.h"
#include "onnx/model/proto.h"

#include <map>
#include <optional>
#include <string>

namespace fw {

struct ExternalBytes {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
};

class ExternalData {
public:
    // `folder` is the model's; empty when the model did not come from a file: every request is
    // refused.
    ExternalData(std::string folder, OnnxLimits limits)
        : m_folder(std::move(folder)), m_limits(limits) {}

    // The bytes a tensor refers to, mapped read-only; exactly `expected` of them. Files are mapped
    // once.
    Result<ExternalBytes> read(const proto::TensorProto& tensor, std::uint64_t expected);

    std::vector<std::string> files() const; // that were read

private:
    Result<MappedFile> open(const std::string& location);

    std::string m_folder;
    OnnxLimits m_limits;
    std::map<std::string, MappedFile> m_files; // by location
};

} // namespace fw
