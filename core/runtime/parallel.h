// Loops of kernels over several threads: those of a ThreadTeam, or, in a program that calls
// libraries, those of the OpenMP runtime under the libraries: two sets of threads on the same cores
// would wait for each other. Nested calls, loops that are too small and runs inside an OpenMP
// region of the caller are serial.
#pragma once

#include "runtime/openmp.h"
#include "runtime/thread_team.h"

#include <cstdint>

namespace fw::runtime {

struct ParallelSettings {
    std::int32_t threads = 1;
    std::uint32_t controlWord = 0x1f80; // MXCSR of every thread that runs a kernel
    const OpenMp* openMp = nullptr;     // of the libraries that the program calls
};

// The floating-point mode of kernels: round to nearest, no traps, denormals kept or flushed.
constexpr std::uint32_t keepDenormalsWord = 0x1f80;
constexpr std::uint32_t flushDenormalsWord = 0x1f80 | 0x8000 | 0x0040;

// The parallel_for of a kernel context whose `settings` point to a ParallelSettings.
void parallelFor(const fw_kernel_context* context, LoopBody body, std::int64_t count,
                 std::int64_t grain);

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
