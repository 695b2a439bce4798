// From a plan to a module: bodies, schedules, loops, kernels, memory, constants, put together.
#pragma once

#include "base/cancel.h"
#include "codegen/compile.h"
#include "fusion/group.h"
#include "module/constants.h"
#include "module/host_steps.h"
#include "module/kernel_report.h"
#include "runtime/program.h"
#include "strategy/lowering_memo.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fw {

// Where the time of a compilation went, and where its kernels came from.
struct CompileTimes {
    double kernelsMs = 0;  // wall time of calls of libraries, and of the row below
    double codegenMs = 0;  // machine code or finding it in the cache, summed over threads
    double assembleMs = 0; // program, packed constants
    int compiled = 0;      // kernels
    int fromMemory = 0;
    int fromDisk = 0;
    std::size_t packedBytes = 0; // of weights; the others were those of an earlier module
};

struct CompiledModule {
    runtime::Program program; // results of opaque groups are inputs behind those of the graph
    std::vector<std::shared_ptr<const CompiledKernel>> kernels; // equal groups share one
    std::vector<HostNode> hosts;                 // what the program's steps of that kind compute
    std::shared_ptr<const AlignedBytes> weights; // of several modules, if they have the same
    std::vector<KernelReport> reports;           // groups that have a kernel, in order of execution
    CompileTimes times;

    const KernelReport* report(int group) const;
};

struct CompileProgress {
    std::string text; // the group at work
    std::size_t done = 0;
    std::size_t total = 0;
};

class KernelCache;

struct ModuleOptions {
    int compileThreads = 2;
    KernelCache* cache = nullptr;    // none: every kernel is compiled
    LoweringMemo* memo = nullptr;    // calls of libraries; none: they are asked for anew
    KnownWeights* weights = nullptr; // of other modules; none: all are packed
    std::function<void(const CompileProgress&)> progress; // from the calling thread only
    CancelToken cancel;
};

// The loops or the call of one group; no machine code. `memo` as in ModuleOptions.
Result<KernelReport> groupReport(const Graph& graph, const FusionPlan& plan, const Group& group,
                                 const Target& target, LoweringMemo* memo = nullptr);

Result<CompiledModule> compileModule(const Graph& graph, const FusionPlan& plan,
                                     const Target& target, const ModuleOptions& options = {});

} // namespace fw
