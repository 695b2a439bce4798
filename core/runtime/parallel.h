// Loops of kernels over several threads: those of a ThreadTeam, or, in a program that calls
// libraries, those of the OpenMP runtime under the libraries: two sets of threads on the same cores
// would wait for each other. A caller may bring its own threads. Nested calls, loops that are too
// small and runs inside an OpenMP region of the caller are serial.
#pragma once

#include "runtime/floating_point_mode.h"
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

// The parallel_for of a kernel context whose `settings` point to a ParallelSettings.
void parallelFor(const fw_kernel_context* context, LoopBody body, std::int64_t count,
                 std::int64_t grain);

} // namespace fw::runtime
