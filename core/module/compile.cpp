#include "module/compile.h"

#include "base/on_threads.h"
#include "base/stopwatch.h"
#include "extern/call.h"
#include "fusion/branches.h"
#include "fusion/group_parts.h"
#include "fusion/lower_groups.h"
#include "module/assemble.h"
#include "module/in_place.h"
#include "module/kernel_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

namespace fw {

namespace {

Stmt withoutProvenance(const Stmt& stmt) {
    StmtNode node = stmt.node();
    node.nodes.clear();
    for (Stmt& part : node.body)
        part = withoutProvenance(part);
    return Stmt(std::make_shared<const StmtNode>(std::move(node)));
}

Diag cancelled() {
    return makeDiag(DiagCode::Cancelled, "the compilation was cancelled");
}

// Equal computations have equal code, whatever they are called and wherever they come from.
LoopNest codeOf(const LoopNest& nest, std::string_view group) {
    LoopNest out = nest;
    out.name = group.substr(0, group.find_last_of('_'));
    out.body = withoutProvenance(nest.body);
    return out;
}

// What is compiled once for all groups that are equal but for their names.
struct Job {
    const Group* group = nullptr; // the first of them
    std::vector<InPlace> spent;   // operands that may be written over as far as the plan goes
    std::optional<Diag> refusal;
    std::vector<InPlace> inPlace;
    std::shared_ptr<const CompiledKernel> kernel;
    KernelSource source = KernelSource::Compiled;
    double codegenMs = 0;

    const KernelCode& code() const { return *group->lowering.kernel; }
    const LoopNest& nest() const { return code().choice.lowered.nest; }
};

std::size_t positionOf(const LoopNest& nest, Symbol parameter) {
    return static_cast<std::size_t>(
        std::find_if(nest.parameters.begin(), nest.parameters.end(),
                     [&](const Buffer& buffer) { return buffer.name == parameter; }) -
        nest.parameters.begin());
}

Status compileJob(Job& job, const Target& target, KernelCache* cache) {
    const auto start = std::chrono::steady_clock::now();
    const LoopNest code = codeOf(job.nest(), job.group->name);
    CompileOptions options;
    for (const InPlace& pair : job.inPlace)
        options.sharedBuffers.emplace_back(
            positionOf(code, job.code().body.inst.inputs[pair.input].name),
            positionOf(code, job.code().body.inst.outputs[pair.output].name));
    if (cache != nullptr) {
        KernelCache::Found found = cache->find(kernelKey(code, target, options));
        job.kernel = std::move(found.kernel);
        job.source = found.source;
    }
    if (!job.kernel) {
        FW_TRY(CompiledKernel kernel, compileKernel(code, target, options));
        job.kernel = std::make_shared<const CompiledKernel>(std::move(kernel));
        job.source = KernelSource::Compiled;
        if (cache != nullptr)
            cache->add(job.kernel);
    }
    job.codegenMs = millisecondsSince(start);
    return {};
}

void runJob(Job& job, const Target& target, KernelCache* cache) {
    try {
        job.inPlace = allowedInPlace(job.nest(), job.code().body, job.spent);
        if (Status done = compileJob(job, target, cache); !done)
            job.refusal = done.takeDiag();
    } catch (const std::exception& error) {
        job.refusal = makeDiag(DiagCode::Internal, error.what(), {{}, job.group->name});
    }
}

// On several threads; the first refusal wins by order, not by time.
Status runAll(std::vector<Job>& jobs, const Target& target, const ModuleOptions& options) {
    std::atomic<std::size_t> done{0};
    onThreads(options.compileThreads, jobs.size(), [&](std::size_t i, Thread thread) {
        if (options.cancel.cancelled())
            return;
        if (options.progress && thread == Thread::Caller)
            options.progress({jobs[i].group->name, done, jobs.size()});
        runJob(jobs[i], target, options.cache);
        ++done;
    });
    if (options.cancel.cancelled())
        return cancelled();
    for (Job& job : jobs)
        if (job.refusal)
            return *job.refusal;
    return {};
}

// The plan as the machine runs it: parts are groups, and calls of libraries are made.
struct Settled {
    PlanOfParts parts;
    std::map<int, Decisions> notices; // of groups that their library refused in the end

    Decisions noticesOf(const Group& group) const {
        const auto found = notices.find(group.id);
        return found == notices.end() ? Decisions() : found->second;
    }
};

Result<Settled> settle(const Graph& graph, const FusionPlan& plan, const Target& target,
                       LoweringMemo* known, const CancelToken& cancel) {
    Settled out{planOfParts(plan), {}};
    LoweringMemo own;
    LoweringMemo& memo = known != nullptr ? *known : own;
    for (Group& group : out.parts.plan.groups) {
        if (!group.hasCode() || group.lowering.kernel)
            continue;
        if (cancel.cancelled())
            return cancelled();
        FW_CHECK(lowerGroup(graph, out.parts.plan, target, memo, group, out.notices[group.id]));
    }
    const std::vector<Group>& groups = out.parts.plan.groups;
    if (std::none_of(groups.begin(), groups.end(),
                     [](const Group& group) { return !group.parts.empty(); }))
        return out;
    // What was left to the host is one group for each node.
    Settled flat{planOfParts(out.parts.plan), {}};
    for (std::size_t i = 0; i < flat.parts.from.size(); ++i) {
        const auto before = static_cast<std::size_t>(flat.parts.from[i].group);
        flat.notices.emplace(static_cast<int>(i),
                             std::exchange(out.notices[static_cast<int>(before)], {}));
        flat.parts.from[i] = out.parts.from[before];
    }
    return flat;
}

} // namespace

const KernelReport* CompiledModule::report(int group) const {
    for (const KernelReport& report : reports)
        if (report.group == group)
            return &report;
    return nullptr;
}

Result<KernelReport> groupReport(const Graph& graph, const FusionPlan& plan, const Group& group,
                                 const Target& target, LoweringMemo* memo) {
    if (!group.hasCode())
        return makeDiag(DiagCode::NotRunnable,
                        fmt::format("{} has no loops: {}", group.name,
                                    group.isView()     ? "it is a view"
                                    : group.isOpaque() ? "it is opaque"
                                                       : "its reference computes it"),
                        {{}, group.name});
    Decisions notices;
    if (group.parts.empty()) {
        if (group.lowering.kernel)
            return reportOf(graph, group, {}, notices);
        Group called = group;
        LoweringMemo own;
        FW_CHECK(lowerGroup(graph, plan, target, memo != nullptr ? *memo : own, called, notices));
        if (called.kind == GroupKind::Parts)
            return reportOfHost(called);
        return reportOf(graph, called, {}, notices);
    }
    FusionPlan alone; // with the parts as groups of their own
    alone.layouts = plan.layouts;
    alone.homes = plan.homes;
    alone.groupOf = plan.groupOf;
    alone.groups = {group};
    alone.groups[0].id = 0;
    FW_TRY(const Settled settled, settle(graph, alone, target, memo, {}));
    std::vector<KernelReport> reports;
    for (const Group& part : settled.parts.plan.groups)
        reports.push_back(reportOf(graph, part, {}, settled.noticesOf(part)));
    KernelReport out = std::move(joined(alone, settled.parts, std::move(reports)).front());
    out.group = group.id;
    return out;
}

namespace {

// Equal groups of a plan share a job.
struct Jobs {
    Jobs(const Graph& graph, const FusionPlan& plan) {
        std::map<std::pair<const KernelCode*, std::vector<InPlace>>, std::size_t> known;
        const SpentOperands operands(graph, plan);
        for (const Group& group : plan.groups) {
            if (!group.lowering.kernel)
                continue;
            std::vector<InPlace> spent = operands.of(group);
            const auto [place, isNew] =
                known.try_emplace({group.lowering.kernel.get(), spent}, all.size());
            if (isNew) {
                Job& job = all.emplace_back();
                job.group = &group;
                job.spent = std::move(spent);
            }
            ofGroup.emplace(group.id, place->second);
        }
    }

    std::vector<Job> all;
    std::map<int, std::size_t> ofGroup;
};

// Gives the kernel of each job: jobs may have led to one code.
std::vector<int> takeKernels(const std::vector<Job>& jobs, CompiledModule& out) {
    std::map<Hash, int> kernels;
    std::vector<int> kernelOf;
    for (const Job& job : jobs) {
        out.times.codegenMs += job.codegenMs;
        const auto [place, isNew] =
            kernels.emplace(job.kernel->key, static_cast<int>(out.kernels.size()));
        kernelOf.push_back(place->second);
        if (!isNew)
            continue;
        out.kernels.push_back(job.kernel);
        switch (job.source) {
        case KernelSource::Compiled:
            ++out.times.compiled;
            break;
        case KernelSource::Memory:
            ++out.times.fromMemory;
            break;
        case KernelSource::Disk:
            ++out.times.fromDisk;
            break;
        }
    }
    return kernelOf;
}

} // namespace

Result<CompiledModule> compileModule(const Graph& graph, const FusionPlan& plan,
                                     const Target& target, const ModuleOptions& options) {
    const auto wall = std::chrono::steady_clock::now();
    FW_TRY(const Settled settled, settle(graph, plan, target, options.memo, options.cancel));
    Jobs jobs(graph, settled.parts.plan);
    FW_CHECK(runAll(jobs.all, target, options));
    CompiledModule out;
    const std::vector<int> kernelOf = takeKernels(jobs.all, out);
    if (options.cache != nullptr && out.times.compiled > 0)
        options.cache->trim();
    std::map<int, KernelUse> uses;
    for (const Group& group : settled.parts.plan.groups) {
        if (group.isHost())
            out.reports.push_back(reportOf(graph, group, {}, settled.noticesOf(group)));
        if (!group.hasCode())
            continue;
        KernelUse use;
        if (const auto job = jobs.ofGroup.find(group.id); job != jobs.ofGroup.end())
            use = {kernelOf[job->second], jobs.all[job->second].inPlace};
        out.reports.push_back(reportOf(graph, group, use.inPlace, settled.noticesOf(group)));
        out.reports.back().kernel = use.kernel;
        uses.emplace(group.id, std::move(use));
    }
    out.reports = joined(plan, settled.parts, std::move(out.reports));
    out.times.kernelsMs = millisecondsSince(wall);
    const auto assembling = std::chrono::steady_clock::now();
    FW_TRY(Assembled assembled,
           assemble(graph, settled.parts, target, uses, out.kernels.size(), options.weights));
    out.program = std::move(assembled.program);
    out.hosts = std::move(assembled.hosts);
    out.weights = std::move(assembled.weights);
    out.times.packedBytes = assembled.packedBytes;
    out.times.assembleMs = millisecondsSince(assembling);
    return out;
}

} // namespace fw
