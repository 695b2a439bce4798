// Target: what code is made for, from a short text.
//
//     x86-64 -mcpu=native|x86-64-v2|x86-64-v3|x86-64-v4|NAME -libs=a,b -threads=N
//
// Every part is optional; `-libs=onednn` alone is short for "x86-64 -libs=onednn". `native` is
// described by the cpuid of this machine, every other CPU by a fixed table, so a plan for a named
// CPU is the same everywhere. Code for `native` is made for the highest x86-64 level that this CPU
// reaches. Libraries are held to the CPU that is named, too (runtime/library_level.h).
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

// The levels of the x86-64 psABI that code is made for: SSE4.2, AVX2 with FMA, AVX-512.
enum class CpuLevel : std::uint8_t { V2 = 2, V3 = 3, V4 = 4 };

// Found: every library that is present. Listed: exactly those of Target::libs.
enum class LibraryChoice : std::uint8_t { Found, Listed };

struct Target {
    std::string text; // canonical; parses to this target
    std::string cpu;  // as written: "native", "x86-64-v3", "haswell"
    CpuLevel level = CpuLevel::V2;
    std::uint64_t features = 0; // runtime::CpuFeature bits that the code may need
    int vectorLanesF32 = 4;     // f32 values in a vector register
    int vectorRegisters = 16;
    std::int64_t l1 = 0, l2 = 0, l3 = 0; // bytes; l1 and l2 per core
    int threads = 1;
    LibraryChoice libraryChoice = LibraryChoice::Found;
    std::vector<std::string> libs; // canonical names in order of preference
    bool isHost = false;           // this machine can run the code

    std::string llvmCpu() const; // "x86-64-v4"
    bool hasFma() const { return level != CpuLevel::V2; }
    bool hasAvx512() const { return level == CpuLevel::V4; }
    std::string codeKey() const; // what the bytes of a kernel depend on
    // What a library is held to, in its own words: "avx2" for onednn, "Haswell" for openblas.
    // Empty for `native`: nothing.
    std::string libraryLevel(std::string_view library) const;
    bool operator==(const Target&) const = default;
};

// UnknownTarget lists what is known.
Result<Target> parseTarget(std::string_view text);
Target hostTarget(); // parseTarget("")

// Names of libraries that a target may list, whether or not they are present.
const std::vector<std::string>& knownLibraries();

// What books call a target: "x86-64-v3", "x86-64-v2", "x86-64", "cpu", "any", in front of them the
// name of the CPU. The most specific comes first.
std::vector<std::string> targetKeys(const Target& target);
const std::vector<std::string>& knownTargetKeys(); // of every target that there is

} // namespace fw
