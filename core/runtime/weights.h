// Constants of a program: the weights file of an exported module, or memory of the JIT session.
//
// File: 64 bytes of header (magic, u32 version, u32 zero, u64 payload size, u64 payload hash,
// zeros), then the payload in which every constant starts at a multiple of 64. It is mapped, so
// opening reads one page and processes share it.
#pragma once

#include "runtime/memory.h"
#include "runtime/program.h"

#include <cstdint>

namespace fw::runtime {

constexpr std::uint32_t weightsVersion = 1;
constexpr std::size_t weightsHeaderSize = 64;

// 64 bits, fast, not cryptographic: tells that weights and program belong together.
std::uint64_t hashWeights(const std::byte* data, std::size_t size);

// The header to write before a payload of `size` bytes with the hash `hash`.
std::vector<std::uint8_t> weightsHeader(std::uint64_t size, std::uint64_t hash);

// Where the executor finds constants. Borrowed: must outlive the executor.
struct Weights {
    const std::byte* payload = nullptr; // Program::weightsBytes bytes at a multiple of 64
    std::vector<const void*> pieces; // by tensor; a null or missing entry is found in the payload
};

enum class Verify : std::uint8_t { Header, Contents };

// Checks that memory holds the contents of a weights file of `program`; `name` is for errors.
Status takeWeights(const std::byte* data, std::uint64_t bytes, const char* name,
                   const Program& program, Verify verify, Weights& weights);

// Maps `path` and checks that it holds the weights of `program`.
Status openWeights(const char* path, const Program& program, Verify verify, FileMapping& mapping,
                   Weights& weights);

} // namespace fw::runtime
