// What the runtime's own kernels are called with, for the operators that have one
// (Operator::runtimeKernel).
#pragma once

#include "ir/operator.h"
#include "runtime/native_step.h"

#include <optional>

namespace fw {

struct NativeCall {
    runtime::NativeOp op = runtime::NativeOp::Compact;
    Exprs numbers; // over free dimensions, in the order of NativeOp
};

// nullopt: the runtime has no kernel of that name.
std::optional<NativeCall> nativeCall(std::string_view kernel, const OpCall& call);

} // namespace fw
