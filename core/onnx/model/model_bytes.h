// Bytes -> ModelProto. Protobuf says only "failed", so what is wrong with the bytes is found here:
// which other kind of file they are, or where they were cut short.
#pragma once

#include "base/result.h"
#include "onnx/model/limits.h"
#include "onnx/model/proto.h"

#include <memory>
#include <string>
#include <string_view>

namespace fw {

// NotOnnx, FileTooLarge or OnnxMalformed (nested too deeply); `file` is for messages.
Result<std::unique_ptr<proto::ModelProto>>
parseModel(std::string_view bytes, const OnnxLimits& limits, const std::string& file);

// "a PNG picture", "a ZIP archive (a PyTorch checkpoint?)"; empty when the first bytes say nothing.
std::string_view foreignKind(std::string_view bytes);

} // namespace fw
