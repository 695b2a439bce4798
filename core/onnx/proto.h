// The protobuf classes of libonnx, and nothing else of it: its checker and shape inference die on
// hostile files. Included by the .cpp files of this folder and by its tests only.
#pragma once

#include <onnx/onnx_pb.h>

namespace fw {

namespace proto = ::onnx;

// What this program writes, and the newest it reads without a warning.
constexpr std::int64_t oldestOpset = 7;
constexpr std::int64_t newestOpset = 17;
constexpr std::int64_t writtenIrVersion = 8;

} // namespace fw
