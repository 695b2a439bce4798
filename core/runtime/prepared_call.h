// A call of a library made ready to run, and what is known of the library that does it.
#pragma once

#include "runtime/library_call.h"
#include "runtime/openmp.h"

#include <cstddef>
#include <memory>
#include <string>

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

} // namespace fw::runtime
