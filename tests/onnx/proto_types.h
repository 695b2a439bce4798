// Element types as files of ONNX number them.
#pragma once

#include "onnx/model/proto.h"

namespace fw::test {

constexpr int f32 = proto::TensorProto::FLOAT, f16 = proto::TensorProto::FLOAT16,
              f64 = proto::TensorProto::DOUBLE, u8 = proto::TensorProto::UINT8,
              i8 = proto::TensorProto::INT8, i64 = proto::TensorProto::INT64,
              boolean = proto::TensorProto::BOOL;

} // namespace fw::test
