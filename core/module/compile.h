// From a plan to a module: bodies, schedules, loops, kernels, memory, constants, put together.
#pragma once

#include "base/cancel.h"
#include "codegen/compile.h"
#include "fusion/group_body.h"
#include "loop/loop.h"
#include "runtime/program.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fw {

// What became of one group, for the stages view, `fw fuse` and `fw explain`.
struct KernelReport {
    int group = -1;
    std::string schedule;       // its name
    std::string scheduleText;   // as a value
    std::string tensorText;     // the tensor expression
    LoopNest nest;              // graph node ids as provenance
    int kernel = -1;            // into CompiledModule::kernels; -1: a library computes it
    std::string libraryCall;    // its text, then there is no nest
    std::string implementation; // that computes it in the end: as planned, or what it moved to
    Decisions decisions;
};

struct CompiledModule {
    runtime::Program program;
    std::vector<std::shared_ptr<const CompiledKernel>> kernels; // equal groups share one
    std::vector<std::byte> weights;
    std::vector<KernelReport> reports; // groups that have a kernel, in order of execution
    double lowerMs = 0;
    double codegenMs = 0; // wall time on `compileThreads` threads

    const KernelReport* report(int group) const;
};

struct CompileProgress {
    std::string text; // the group at work
    std::size_t done = 0;
    std::size_t total = 0;
};

struct ModuleOptions {
    int compileThreads = 2;
    std::function<void(const CompileProgress&)> progress; // from the calling thread only
    CancelToken cancel;
};

// Schedules and lowers one group; no machine code.
Result<KernelReport> lowerGroup(const Graph& graph, const FusionPlan& plan, const Group& group,
                                const Target& target);

Result<CompiledModule> compileModule(const Graph& graph, const FusionPlan& plan,
                                     const Target& target, const ModuleOptions& options = {});

} // namespace fw
