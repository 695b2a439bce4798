// The machine code of an object, as text: what a kernel became, read from the very bytes that run.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fw {

struct AssemblyLine {
    std::uint64_t offset = 0;  // in its section
    std::string text;          // "vfmadd231ps %zmm1, %zmm2, %zmm0"
    bool isLabel = false;      // a function's name
    bool isTarget = false;     // some branch leads here
    std::int64_t jumpsTo = -1; // offset, of a branch within the function
    std::uint32_t line = 0;    // of CompiledKernel::lineNodes, from 1; 0: unknown
};

struct Assembly {
    std::vector<AssemblyLine> lines;
    std::int64_t instructions = 0;
    std::int64_t fmas = 0;
    std::int64_t spills = 0; // stores of vector registers to the stack frame
    std::int64_t calls = 0;

    std::string text() const; // with labels and offsets
};

Result<Assembly> disassemble(const std::vector<std::byte>& object);

} // namespace fw
