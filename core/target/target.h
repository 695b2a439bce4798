// Target: what code is made for, from a short text.
//
//     x86-64 -mcpu=native|x86-64-v2|x86-64-v3|x86-64-v4|NAME -libs=a,b -threads=N
//     DECLARED -libs=a,b -threads=N
//
// Every part is optional; `-libs=onednn` alone is short for "x86-64 -libs=onednn". DECLARED is the
// name of a target that a book declares: it says the CPU, and what is not written. `native` is
// described by the cpuid of this machine, every other CPU by a fixed table, so a plan for a named
// CPU is the same everywhere. Code for `native` is made for the highest x86-64 level that this CPU
// reaches. Libraries are held to the CPU that is named, too (runtime/library_level.h).
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

// The levels of the x86-64 psABI that code is made for: SSE4.2, AVX2 with FMA, AVX-512.
enum class CpuLevel : std::uint8_t { V2 = 2, V3 = 3, V4 = 4 };

// Found: every library that is present. Listed: exactly those of Target::libs.
enum class LibraryChoice : std::uint8_t { Found, Listed };

// A target in terms of another one: what is different.
struct DeclaredTarget {
    std::string name;
    std::string on; // the name of a CPU; x86-64, cpu or any for this machine's; a declared target
    std::vector<std::string> keys;                // beside its name, most specific first
    std::optional<std::vector<std::string>> libs; // nullopt: those of what it stands on
    std::uint64_t features = 0; // runtime::CpuFeature bits that its code may need beside others
    std::optional<int> vectorBits, threads;
};
using DeclaredTargets = std::map<std::string, DeclaredTarget, std::less<>>; // by name

struct Target {
    std::string text; // canonical; parses to this target
    std::string name; // of the declared target; empty: it is none
    // Of the declared target and of those that it stands on, most specific first; their names are
    // among them.
    std::vector<std::string> ownKeys;
    std::string cpu; // as written: "native", "x86-64-v3", "haswell"
    CpuLevel level = CpuLevel::V2;
    std::uint64_t features = 0; // runtime::CpuFeature bits that the code may need
    int vectorLanesF32 = 4;     // f32 values in a vector register that code uses
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
    // Everything that it is made of, also where the text has a name for that.
    std::string madeOf() const;
    // What a library is held to, in its own words: "avx2" for onednn, "Haswell" for openblas.
    // Empty for `native`: nothing.
    std::string libraryLevel(std::string_view library) const;
    bool operator==(const Target&) const = default;
};

// UnknownTarget lists what is known. `libraries`: those that books declare, which `-libs=` may
// name.
Result<Target> parseTarget(std::string_view text, const DeclaredTargets& declared = {},
                           const std::vector<std::string>& libraries = {});
Target hostTarget(); // parseTarget("")

// Names of libraries that a target may list, whether or not they are present.
const std::vector<std::string>& knownLibraries();

// What books call a target: "x86-64-v3", "x86-64-v2", "x86-64", "cpu", "any", in front of them the
// name of the CPU, and before that its own keys. The most specific comes first.
std::vector<std::string> targetKeys(const Target& target);
const std::vector<std::string>& knownTargetKeys(); // of every target that no book declares
bool isMachineKey(std::string_view key); // x86-64, cpu, any: what stands on it is this machine's

// Names of what CPUs may have beyond the first level: "avx2", "avx512vnni".
const std::vector<std::string>& knownCpuFeatures();
std::optional<std::uint64_t> cpuFeature(std::string_view name); // its bit
CpuLevel levelOfFeature(std::uint64_t feature); // the least that has it or may have it

} // namespace fw
