// Operators as the library's primitives, one function per family. Each writes one step for the
// given site and refuses (LibraryFailed, with a sentence) what the primitive does not have.
#pragma once

#include "extern/step_builder.h"

namespace fw {

// dense and batch_matmul: rows of all leading axes in one matrix where memory allows it.
Result<ExternCall> buildMatmul(const CallSite& site, runtime::LibraryId library);
Result<ExternCall> buildConvolution(const CallSite& site, runtime::CallKind kind);
Result<ExternCall> buildDeconvolution(const CallSite& site);
Result<ExternCall> buildPool(const CallSite& site);
Result<ExternCall> buildSoftmax(const CallSite& site);
Result<ExternCall> buildLayerNorm(const CallSite& site);

} // namespace fw
