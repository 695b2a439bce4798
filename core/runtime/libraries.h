// Libraries of others, opened at run time: whether they are there, and calls made ready to run.
//
// Nothing links oneDNN or OpenBLAS; each is opened once per process with dlopen and one table of
// its symbols. FUSEWRIGHT_ONEDNN and FUSEWRIGHT_OPENBLAS name another file to open (an empty one:
// none). The engine asks here what a library would do (oneDNN's choice of kernel and layout) and
// runs here; exported modules carry this code only if one of their steps is a library call.
#pragma once

#include "runtime/library_code.h"

namespace fw::runtime {

// Opens the library on the first call.
const LibraryInfo& libraryInfo(LibraryId library);

// FW_LIBRARY_MISSING with the package to install, FW_OUT_OF_MEMORY where the system has no room to
// map the file; nothing for a library that is ready.
Status whyNotUsed(const LibraryInfo& info, const char* name);

// FW_LIBRARY_MISSING, or FW_LIBRARY_FAILED with the library's reason.
Status prepareCall(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared);

// What oneDNN would do with a call, without compiling it.
struct OneDnnAnswer {
    std::string kernel;      // "brgconv:avx512_core"
    std::string layout;      // for weights given as "any"; empty if it has no name we can store
    std::string inputLayout; // the same for images
    std::string outputLayout;
    std::size_t weightsBytes = 0;
    bool slow = false; // a reference kernel
    std::string doubt; // why its numbers are not trusted; empty if they were seen to be right
};
Status askOneDnn(const ShapedCall& call, int threads, OneDnnAnswer& answer);

// Weights with the strides of `from`, brought into the layout that oneDNN chooses for `call` (whose
// weights are given as "any") on that many threads. `packed` holds OneDnnAnswer::weightsBytes
// bytes; without it nothing is moved, and the answer is whether it could be.
Status packOneDnn(const ShapedCall& call, int threads, const ShapedArgument& from, const void* data,
                  void* packed);

} // namespace fw::runtime
