// Operators as the library's primitives, one function per family. Each writes one step for the
// given site and refuses (LibraryFailed, with a sentence) what the primitive does not have.
#pragma once

#include "extern/step_builder.h"

namespace fw {

// Rows of all leading axes in one matrix where memory allows it. Of a dense layer the second
// operand is transposed.
Result<ExternCall> buildDense(const CallSite& site);
Result<ExternCall> buildMatmul(const CallSite& site);
Result<ExternCall> buildConvolution(const CallSite& site, runtime::CallKind kind);
Result<ExternCall> buildDeconvolution(const CallSite& site);
enum class Pooled : std::uint8_t { Largest, Mean };
enum class PoolWindow : std::uint8_t { Attributes, WholeImage };
Result<ExternCall> buildPool(const CallSite& site, Pooled pooled, PoolWindow window);
Result<ExternCall> buildSoftmax(const CallSite& site, runtime::CallKind kind);
Result<ExternCall> buildLayerNorm(const CallSite& site);

} // namespace fw
