// From a plan to a module: bodies, schedules, loops, kernels, memory, constants, put together.
#pragma once

#include "base/cancel.h"
#include "base/decision.h"
#include "codegen/compile.h"
#include "fusion/group.h"
#include "loop/loop.h"
#include "module/constants.h"
#include "module/host_steps.h"
#include "runtime/program.h"
#include "strategy/lowering_memo.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fw {

// A step that brings a tensor into the order that a library wants, or back.
struct ReorderStep {
    std::string name; // of the step
    std::string value;
    std::string layout; // on the library's side
    double bytes = -1;  // read and written; -1: depends on free dimensions
};

// What became of one group, for the stages view, `fw fuse` and `fw explain`.
struct KernelReport {
    int group = -1;
    std::string schedule;              // its name
    std::string scheduleText;          // as a value
    std::string tensorText;            // the tensor expression
    LoopNest nest;                     // graph node ids as provenance
    int kernel = -1;                   // into CompiledModule::kernels; -1: a library computes it
    bool host = false;                 // a reference computes it: no nest, no call
    std::string libraryCall;           // its text, then there is no nest
    std::string library;               // whose call it is: "openblas"
    std::vector<std::string> postOps;  // what the call does after its own computation, in order
    std::vector<ReorderStep> reorders; // around the call
    // Of a group whose library's call is one stage among others: the stages in order, each with its
    // nest or its call; `nest` is empty then.
    // Of one that the sizes choose the implementation of: the ways to compute it.
    std::vector<KernelReport> parts;
    std::string when; // of such a way: "where M <= 16: M = N (my.fw:3)", "else"; empty: of none
    std::string implementation; // that computes it in the end: as planned, or what it moved to
    Decisions decisions;
};

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
