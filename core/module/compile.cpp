#include "module/compile.h"

#include "loop/passes.h"
#include "module/assemble.h"
#include "module/library_call.h"
#include "tensor/lower.h"
#include "tensor/schedule_default.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace fw {

namespace {

double milliseconds(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
        .count();
}

Stmt withoutProvenance(const Stmt& stmt) {
    StmtNode node = stmt.node();
    node.nodes.clear();
    for (Stmt& part : node.body)
        part = withoutProvenance(part);
    return Stmt(std::make_shared<const StmtNode>(std::move(node)));
}

// Equal computations have equal code, whatever they are called and wherever they come from.
LoopNest codeOf(const LoopNest& nest) {
    LoopNest out = nest;
    out.name = nest.name.substr(0, nest.name.find_last_of('_'));
    out.body = withoutProvenance(nest.body);
    return out;
}

struct LoweredKernel {
    LoweredGroup group;
    KernelReport report;
};

ScheduleContext contextOf(const GroupBody& body, const Target& target) {
    ScheduleContext out;
    out.vectorLanes = target.vectorLanesF32;
    out.vectorRegisters = target.vectorRegisters;
    out.threads = target.threads;
    if (target.l1 > 0)
        out.l1Bytes = target.l1;
    if (target.l2 > 0)
        out.l2Bytes = target.l2;
    for (std::size_t i = 0; i < body.inst.inputs.size(); ++i) {
        out.maps[body.inst.inputs[i].name] = body.inputLayouts[i];
        if (body.constantInput[i])
            out.constants.insert(body.inst.inputs[i].name);
    }
    for (std::size_t i = 0; i < body.inst.outputs.size(); ++i)
        out.maps[body.inst.outputs[i].name] = body.outputLayouts[i];
    return out;
}

// A library's call if the group is planned so and the library takes it.
std::optional<LoweredKernel> lowerToLibrary(const Graph& graph, const FusionPlan& plan,
                                            const Group& group, const Target& target,
                                            Decisions& refusal) {
    if (!isExtern(group.implementation))
        return std::nullopt;
    Result<ExternCall> call = libraryCall(graph, plan, group, target);
    if (!call) {
        refusal.push_back({group.name, Verdict::No, ReasonCode::MovedFromLibrary,
                           fmt::format("{}: {}", group.implementation, call.diag().message)});
        return std::nullopt;
    }
    LoweredKernel out;
    out.report.group = group.id;
    out.report.schedule = call->kernel;
    out.report.libraryCall = call->text();
    out.report.implementation = group.implementation;
    out.report.nest.name = group.name;
    out.report.decisions = call->decisions;
    out.group.group = &group;
    out.group.call = call.take();
    return out;
}

Result<LoweredKernel> lowerKernel(const Graph& graph, const FusionPlan& plan, const Group& group,
                                  const Target& target) {
    Decisions refusal;
    if (auto call = lowerToLibrary(graph, plan, group, target, refusal))
        return std::move(*call);
    LoweredKernel out;
    FW_TRY(out.group.body, groupBody(graph, plan, group));
    const OpInst& inst = out.group.body.inst;
    const ScheduleContext context = contextOf(out.group.body, target);
    // The plain implementation is a choice of its own; the others take the default schedule of
    // their family.
    FW_TRY(ScheduleChoice choice, group.computedBy == "generated.plain"
                                      ? Result<ScheduleChoice>(plainSchedule(inst, context))
                                      : defaultSchedule(inst, context));
    StorageMaps maps = context.maps;
    for (const auto& [tensor, map] : choice.packs)
        maps[tensor] = map;
    Result<Lowered> lowered = lower(inst, choice.schedule, maps, group.name);
    if (!lowered) {
        choice = plainSchedule(inst, context);
        choice.decisions.push_back(
            {group.name, Verdict::Note, ReasonCode::ScheduleFallback, lowered.diag().message});
        lowered = lower(inst, choice.schedule, context.maps, group.name);
        if (!lowered)
            return lowered.takeDiag().at({{}, group.name});
    }
    out.group.nest = optimizeLoops(lowered->nest);
    out.group.nest.name = group.name;
    out.group.group = &group;
    out.group.packs = choice.packs;
    out.report.group = group.id;
    out.report.schedule = choice.name;
    out.report.scheduleText = choice.schedule.text();
    out.report.tensorText = inst.text();
    out.report.nest = out.group.nest;
    out.report.decisions = choice.decisions;
    out.report.implementation = refusal.empty() ? group.implementation : "generated";
    out.report.decisions.insert(out.report.decisions.begin(), refusal.begin(), refusal.end());
    return out;
}

// Compiles what `nests` names on several threads; the first refusal wins by order, not by time.
Result<std::vector<std::shared_ptr<const CompiledKernel>>>
compileAll(const std::vector<LoopNest>& nests, const Target& target, const ModuleOptions& options) {
    std::vector<std::optional<Result<CompiledKernel>>> results(nests.size());
    std::atomic<std::size_t> next{0}, done{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < nests.size(); i = next++) {
            if (options.cancel.cancelled())
                return;
            try {
                results[i] = compileKernel(nests[i], target);
            } catch (const std::exception& error) {
                results[i] = makeDiag(DiagCode::Internal, error.what(), {{}, nests[i].name});
            }
            ++done;
        }
    };
    std::vector<std::thread> helpers;
    for (int i = 1; i < options.compileThreads && static_cast<std::size_t>(i) < nests.size(); ++i)
        helpers.emplace_back(work);
    for (std::size_t i = next++; i < nests.size(); i = next++) {
        if (options.cancel.cancelled())
            break;
        if (options.progress)
            options.progress({nests[i].name, done, nests.size()});
        try {
            results[i] = compileKernel(nests[i], target);
        } catch (const std::exception& error) {
            results[i] = makeDiag(DiagCode::Internal, error.what(), {{}, nests[i].name});
        }
        ++done;
    }
    for (std::thread& helper : helpers)
        helper.join();
    if (options.cancel.cancelled())
        return makeDiag(DiagCode::Cancelled, "the compilation was cancelled");
    std::vector<std::shared_ptr<const CompiledKernel>> out;
    for (auto& result : results) {
        if (!result->ok())
            return result->takeDiag();
        out.push_back(std::make_shared<const CompiledKernel>(result->take()));
    }
    return out;
}

} // namespace

const KernelReport* CompiledModule::report(int group) const {
    for (const KernelReport& report : reports)
        if (report.group == group)
            return &report;
    return nullptr;
}

Result<KernelReport> lowerGroup(const Graph& graph, const FusionPlan& plan, const Group& group,
                                const Target& target) {
    if (group.isView())
        return makeDiag(DiagCode::NotRunnable, group.name + " is a view: it has no loops",
                        {{}, group.name});
    FW_TRY(LoweredKernel lowered, lowerKernel(graph, plan, group, target));
    return std::move(lowered.report);
}

Result<CompiledModule> compileModule(const Graph& graph, const FusionPlan& plan,
                                     const Target& target, const ModuleOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    CompiledModule out;
    std::map<int, LoweredGroup> groups;
    std::vector<LoopNest> nests; // distinct
    std::map<Hash, int> known;
    for (const Group& group : plan.groups) {
        if (group.isView())
            continue;
        if (options.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the compilation was cancelled");
        FW_TRY(LoweredKernel lowered, lowerKernel(graph, plan, group, target));
        if (lowered.group.call) {
            groups.emplace(group.id, std::move(lowered.group));
            out.reports.push_back(std::move(lowered.report));
            continue;
        }
        LoopNest code = codeOf(lowered.group.nest);
        const Hash key = kernelKey(code, target);
        const auto [place, isNew] = known.emplace(key, static_cast<int>(nests.size()));
        if (isNew)
            nests.push_back(std::move(code));
        lowered.group.kernel = lowered.report.kernel = place->second;
        groups.emplace(group.id, std::move(lowered.group));
        out.reports.push_back(std::move(lowered.report));
    }
    out.lowerMs = milliseconds(start);
    const auto codegen = std::chrono::steady_clock::now();
    FW_TRY(out.kernels, compileAll(nests, target, options));
    out.codegenMs = milliseconds(codegen);
    FW_TRY(Assembled assembled, assemble(graph, plan, target, groups, out.kernels.size()));
    out.program = std::move(assembled.program);
    out.weights = std::move(assembled.weights);
    return out;
}

} // namespace fw
