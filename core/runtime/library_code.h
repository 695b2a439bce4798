// What stands behind the rows of libraries/rows.def.
#pragma once

#include "runtime/prepared_call.h"

#include <cstdint>

namespace fw::runtime {

struct LibraryLevel {
    const char* name;
    std::uint64_t features;       // CpuFeature bits that its kernels need
    int rank;                     // levels of one rank need the same
    const char* vendor = nullptr; // whose CPUs it is made for; nullptr: everybody's
    bool onlyWhereAsked = false;  // never what the library uses by itself
};

struct LibraryLevels {
    const LibraryLevel* first;
    std::size_t count;

    const LibraryLevel* begin() const { return first; }
    const LibraryLevel* end() const { return first + count; }
    const LibraryLevel* find(const std::string& name) const; // in any case; nullptr: no row
};

using PrepareCall = Status (*)(const ShapedCall&, int threads, std::unique_ptr<PreparedCall>&);

// A library that is built in, behind its row in libraries/rows.def: codeOneDnn is that of OneDnn.
struct LibraryCode {
    const LibraryInfo& (*info)(); // opens it on the first call
    PrepareCall prepare;
    LibraryLevels levels; // lowest first
    bool knowsCpus;       // opened without a word it takes the best of them that this CPU plays
    std::string (
        *environmentLevel)(); // what the user's environment says; empty: nothing that counts
};
#define FW_LIBRARY(id, ...) extern const LibraryCode code##id;
#include "libraries/rows.def"
const LibraryCode& codeOf(LibraryId library);

} // namespace fw::runtime
