// Loops of kernels over several threads: those of a ThreadTeam, or, in a program that calls
// libraries, those of the OpenMP runtime under the libraries: two sets of threads on the same cores
// would wait for each other. A caller may bring its own threads. Nested calls, loops that are too
// small and runs inside an OpenMP region of the caller are serial.
#pragma once

#include "runtime/fusewright.h"
#include "runtime/openmp.h"
#include "runtime/thread_team.h"

#include <cstdint>

namespace fw::runtime {

// What a caller's pool made of the shares of a loop, where that is not each of them once.
struct PoolFault {
    std::int32_t shares = 0; // of the loop; 0: no fault
    std::int32_t leftOut = 0;
    bool isAgain = false; // some share came twice; it was computed once
};

struct ParallelSettings {
    std::int32_t threads = 1;
    std::uint32_t controlWord = 0x1f80; // MXCSR of every thread that runs a kernel
    const OpenMp* openMp = nullptr;     // of the libraries that the program calls
    fw_thread_pool pool = {};           // of the caller, if it has a run()
    mutable PoolFault poolFault = {};   // of the last loop that had one; by the thread that runs
};

// The floating-point mode of kernels: round to nearest, no traps, denormals kept or flushed.
constexpr std::uint32_t keepDenormalsWord = 0x1f80;
constexpr std::uint32_t flushDenormalsWord = 0x1f80 | 0x8000 | 0x0040;

// The parallel_for of a kernel context whose `settings` point to a ParallelSettings.
void parallelFor(const fw_kernel_context* context, LoopBody body, std::int64_t count,
                 std::int64_t grain);

// The mode of a thread: MXCSR, and the environment of the x87 unit, which long double uses and of
// which fegetround() tells. The latter is read and written only where it is not the usual one.
struct FloatingPointWords {
    std::uint32_t mxcsr = keepDenormalsWord;
    std::uint16_t x87[14] = {0x037f};

    static FloatingPointWords exchange(std::uint32_t controlWord); // gives what was before
    void put() const;
    bool isMode(std::uint32_t controlWord) const; // flags aside
};

// Sets the mode of this thread and restores what the caller had.
class FloatingPointMode {
public:
    explicit FloatingPointMode(std::uint32_t controlWord);
    ~FloatingPointMode();
    FloatingPointMode(const FloatingPointMode&) = delete;
    FloatingPointMode& operator=(const FloatingPointMode&) = delete;

private:
    FloatingPointWords m_saved;
    bool m_isOutermost;
};

// Brings back what was before the outermost FloatingPointMode of this thread: threads that are
// started inherit it.
class CallersMode {
public:
    CallersMode();
    ~CallersMode();
    CallersMode(const CallersMode&) = delete;
    CallersMode& operator=(const CallersMode&) = delete;

private:
    bool m_changes;
    FloatingPointWords m_saved;
};

} // namespace fw::runtime
