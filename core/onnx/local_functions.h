// Functions that a model brings along: every call is replaced by the body, so that the graph holds
// operators only, can be run and can be written without them.
#pragma once

#include "base/diag.h"
#include "base/result.h"
#include "onnx/limits.h"
#include "onnx/proto.h"

namespace fw {

// Inner values and nodes are called CALL/NAME. A call stays as it is where the body means something
// else in the opset of the model, or where two functions have its name; the result warns of these.
// OnnxMalformed for functions that call themselves or calls with too many operands, LimitReached
// when the bodies have too many nodes.
Result<Diags> inlineFunctions(proto::ModelProto& model, const OnnxLimits& limits);

// Whether the node calls a function of the model.
bool callsFunction(const proto::ModelProto& model, const proto::NodeProto& node);

} // namespace fw
