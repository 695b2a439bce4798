// Which instruction set a library may use in this process.
//
// oneDNN and OpenBLAS choose their kernels once per process, when they are opened, for what the CPU
// can do. Held to a lower level they choose as they would on a CPU that ends there. A level has the
// library's own name: "avx2", "avx512_core" (oneDNN), "Haswell", "SkylakeX" (OpenBLAS's cores).
//
// Of three words the lowest counts: the level that the library is held to, the environment's
// (ONEDNN_MAX_CPU_ISA or DNNL_MAX_CPU_ISA, OPENBLAS_CORETYPE), and what this CPU plays. Exported
// modules hold nothing: they take the library as it is in the process of their caller.
#pragma once

#include "runtime/library_code.h"

#include <string>

namespace fw::runtime {

// Lowest first; those that this CPU cannot play included.
LibraryLevels libraryLevels(LibraryId library);
bool playsHere(const LibraryLevel& level);
// Whether a library at `level` has less than at `wanted`; false if either has no row.
bool isBelow(LibraryId library, const std::string& level, const std::string& wanted);

// Where the library would be opened if it were held to `wanted` (empty: to nothing). Empty: at its
// own choice for this CPU. A level of the environment that has no row above counts as the lowest.
std::string levelFor(LibraryId library, const std::string& wanted);

// What a library uses on a CPU of these features by this maker ("AuthenticAMD"; empty: any). Empty:
// there is no row for so little.
std::string levelOn(LibraryId library, std::uint64_t features, const std::string& vendor);

// Where a library that its choice is left to is opened: OpenBLAS 0.3.21 does not know recent CPUs
// and would fall back to SSE3 without a word. Empty: by its own judgement.
std::string ownLevel(LibraryId library);

// From now on. FW_LIBRARY_FAILED, with both levels, if the library was opened at another one.
Status holdLibrary(LibraryId library, const std::string& wanted);

// For the code that opens a library: levelFor() what it is held to, which is now fixed.
struct FixedLevel {
    std::string name;
    bool held = false; // by holdLibrary, not by the environment alone
};
FixedLevel fixLevel(LibraryId library);

} // namespace fw::runtime
