// Libraries of others, opened at run time: whether they are there, and calls made ready to run.
//
// Nothing links oneDNN or OpenBLAS; each is opened once per process with dlopen and one table of
// its symbols. FUSEWRIGHT_ONEDNN and FUSEWRIGHT_OPENBLAS name another file to open (an empty one:
// none). The engine asks here what a library would do (oneDNN's choice of kernel and layout) and
// runs here; exported modules carry this code only if one of their steps is a library call.
#pragma once

#include "runtime/library_call.h"
#include "runtime/library_level.h"
#include "runtime/openmp.h"

#include <cstddef>
#include <memory>

namespace fw::runtime {

enum class LibraryPresence : std::uint8_t { Ready, Missing, Unusable };

struct LibraryInfo {
    LibraryPresence presence = LibraryPresence::Missing;
    std::string version; // "2.6.3"
    std::string core;    // kernels for this CPU: "avx512_core", "SkylakeX"
    std::string path;    // of the file that was opened
    std::string reason;  // why it cannot be used
    std::string package; // what to install: "libdnnl2"
};

// Opens the library on the first call.
const LibraryInfo& libraryInfo(LibraryId library);

// FW_LIBRARY_MISSING with the package to install, FW_OUT_OF_MEMORY where the system has no room to
// map the file; nothing for a library that is ready.
Status whyNotUsed(const LibraryInfo& info, const char* name);

// What a call does otherwise than it was compiled, for people; empty: nothing.
struct CallNotes {
    std::string packed; // "weights packed again, from ABcd8b8a to Acdb16a"
    std::string loops;  // what loops of ours compute, and why: "relu (jit:avx2 loses ...)"

    bool empty() const { return packed.empty() && loops.empty(); }
};

// One call for one choice of shapes.
class PreparedCall {
public:
    virtual ~PreparedCall() = default;
    // `buffers` in the order of Step::buffers; `scratch` holds scratchBytes() bytes at a multiple
    // of 64 (null for none).
    virtual Status run(void* const* buffers, void* scratch) = 0;
    // The last run() failed since the library lost a NaN in it and the call writes over what it
    // reads. All that was written since then is to be computed once more, this call by runAgain().
    virtual bool lostNan() const { return false; }
    virtual Status runAgain(void* const* buffers, void* scratch) { return run(buffers, scratch); }
    std::size_t scratchBytes() const { return m_scratchBytes; }
    const CallNotes& notes() const { return m_notes; } // of the last run, if there was one
    // Whose threads it runs on; null if it has none of its own.
    const OpenMp* openMp() const { return m_openMp; }

protected:
    const OpenMp* m_openMp = nullptr;
    std::size_t m_scratchBytes = 0;
    CallNotes m_notes;
};

// FW_LIBRARY_MISSING, or FW_LIBRARY_FAILED with the library's reason.
Status prepareCall(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared);
using PrepareCall = Status (*)(const ShapedCall&, int threads, std::unique_ptr<PreparedCall>&);

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

// A library that is built in, behind its row in libraries/rows.def: codeOneDnn is that of OneDnn.
struct LibraryCode {
    const LibraryInfo& (*info)(); // opens it on the first call
    PrepareCall prepare;
    LibraryLevels levels;      // lowest first
    std::string (*ownLevel)(); // see ownLevel() of library_level.h
    std::string (
        *environmentLevel)(); // what the user's environment says; empty: nothing that counts
};
#define FW_LIBRARY(id, ...) extern const LibraryCode code##id;
#include "libraries/rows.def"
const LibraryCode& codeOf(LibraryId library);

} // namespace fw::runtime
