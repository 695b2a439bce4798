// The protobuf classes of libonnx, and nothing else of it: its checker and shape inference die on
// hostile files. Included by the .cpp files of this folder and by its tests only.
#pragma once

#include <onnx/onnx_pb.h>

namespace fw {

namespace proto = ::onnx;

// Read without a warning: these and all between.
constexpr std::int64_t oldestOpset = 7;
constexpr std::int64_t newestOpset = 23; // standard_table.cpp lists its operators
// What this program writes unless a node that it does not know needs another one, and the oldest
// for which its forms hold.
constexpr std::int64_t writtenOpset = 17;
constexpr std::int64_t oldestWrittenOpset = 13;

} // namespace fw
