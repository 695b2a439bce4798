// Threads: one OpenMP runtime (libgomp) under generated kernels and libraries alike.
//
// GOMP_parallel is called directly, so neither kernels nor this folder need OpenMP pragmas.
// Iterations are split statically: the same thread sees the same rows in every run, which keeps its
// caches warm. Nested calls, loops that are too small and builds under ThreadSanitizer (which does
// not understand libgomp) run serially.
#pragma once

#include "runtime/kernel_abi.h"

#include <cstdint>

namespace fw::runtime {

struct ParallelSettings {
    std::int32_t threads = 1;
    std::uint32_t controlWord = 0x1f80; // MXCSR of every thread that runs a kernel
};

// The floating-point mode of kernels: round to nearest, no traps, denormals kept or flushed.
constexpr std::uint32_t keepDenormalsWord = 0x1f80;
constexpr std::uint32_t flushDenormalsWord = 0x1f80 | 0x8000 | 0x0040;

// The parallel_for of a kernel context whose `settings` point to a ParallelSettings.
void parallelFor(const fw_kernel_context* context,
                 void (*body)(const fw_kernel_context*, std::int64_t begin, std::int64_t end),
                 std::int64_t count, std::int64_t grain);

// Sets the mode of this thread and restores what the caller had.
class FloatingPointMode {
public:
    explicit FloatingPointMode(std::uint32_t controlWord);
    ~FloatingPointMode();
    FloatingPointMode(const FloatingPointMode&) = delete;
    FloatingPointMode& operator=(const FloatingPointMode&) = delete;

private:
    std::uint32_t m_saved;
};

} // namespace fw::runtime
