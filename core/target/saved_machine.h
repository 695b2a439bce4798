// A machine as a file, which plans are made for on another one: `fw doctor --save FILE` writes it,
// and `-mcpu=FILE` is the CPU of a target.
//
//     machine AMD EPYC
//     level x86-64-v4
//     threads 2
//     l1_bytes 32768
//     l2_bytes 1048576
//     l3_bytes 33554432
//     library onednn 2.6.3 avx512_core_bf16
//     held onednn=avx2
//     gflops 106.2
//     own.convolution 123.4
//
// In any order, but for the first line. A library is held to its level, one that has no line is not
// there. `held` stands where libraries were held below what they would choose on that machine: its
// tuning logs say it (workloadMachine()). All other lines are figures of a profile
// (strategy/machine.h). A file is read once by a process.
#pragma once

#include "target/target.h"

#include <memory>

namespace fw {

struct SavedLibrary {
    std::string name, version, level; // level: in its own words
};

struct SavedMachine {
    std::string file;
    std::string cpu; // as the CPU calls itself
    CpuLevel level = CpuLevel::V2;
    int threads = 1;
    std::int64_t l1 = 0, l2 = 0, l3 = 0; // 0: none or unknown
    std::vector<SavedLibrary> libraries;
    std::string held;    // "onednn=avx2 openblas=Haswell"
    std::string figures; // the lines of the profile, each where it stands in the file

    const SavedLibrary* library(std::string_view name) const; // null: it is not there
    std::string text() const;                                 // reads back
};

// Syntax with the line.
Result<SavedMachine> parseSavedMachine(std::string_view text, const std::string& file);

// CPUs have no dots or slashes in their names.
bool isMachineFile(std::string_view cpu);
using SavedMachinePtr = std::shared_ptr<const SavedMachine>;
Result<SavedMachinePtr> savedMachine(const std::string& file);
// Of a target that parseTarget() gave; null: its CPU is none of a file.
SavedMachinePtr machineOf(const Target& target);

} // namespace fw
