#include "module/compile.h"

#include "module/assemble.h"
#include "module/calls_apart.h"
#include "module/in_place.h"
#include "module/kernel_cache.h"
#include "module/library_call.h"
#include "schedule/lower.h"
#include "schedule/default.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
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

// What is lowered once for all groups that are equal but for their names: nodes are positions in
// the group.
struct Job {
    const Group* group = nullptr; // the first of them
    GroupBody body;
    std::vector<InPlace> spent; // operands that may be written over as far as the plan goes
    std::optional<Diag> refusal;
    ScheduleChoice choice;
    LoopNest nest;
    std::vector<InPlace> inPlace;
    std::shared_ptr<const CompiledKernel> kernel;
    KernelSource source = KernelSource::Compiled;
    double lowerMs = 0;
    double codegenMs = 0;
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

struct LibraryKernel {
    ExternCall call;
    KernelReport report;
};

std::vector<ReorderStep> reordersOf(const Graph& graph, const Group& group,
                                    const ExternCall& call) {
    std::vector<ReorderStep> out;
    for (const ExternStep& step : call.steps) {
        if (step.kind != runtime::CallKind::Reorder)
            continue;
        ReorderStep row;
        row.name = group.name + step.suffix;
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            const ExternOperand& operand = step.operands[i];
            if (operand.kind == ExternOperand::Kind::Value) {
                row.value = graph.output(operand.value).name;
                if (const auto count = elementCount(graph.type(operand.value).shape).asInt())
                    row.bytes = 8.0 * static_cast<double>(*count); // f32, read and written
            }
            for (const ExternArgument& argument : step.arguments)
                if (argument.operand == i && operand.kind == ExternOperand::Kind::Between)
                    row.layout = argument.layout.empty() ? "channels-last" : argument.layout;
        }
        out.push_back(std::move(row));
    }
    return out;
}

// A library's call if the group is planned so and the library takes it.
std::optional<LibraryKernel> lowerToLibrary(const Graph& graph, const FusionPlan& plan,
                                            const Group& group, const Target& target,
                                            Decisions& refusal) {
    if (!isExtern(group.computedBy))
        return std::nullopt;
    Result<ExternCall> call = libraryCall(graph, plan, group, target);
    if (!call) {
        refusal.push_back({group.name, Verdict::No, ReasonCode::MovedFromLibrary,
                           fmt::format("{}: {}", group.implementation, call.diag().message)});
        return std::nullopt;
    }
    LibraryKernel out;
    out.report.group = group.id;
    out.report.schedule = call->kernel;
    out.report.libraryCall = call->text();
    out.report.library = group.computedBy.substr(0, group.computedBy.find('.'));
    out.report.postOps = call->tail;
    out.report.reorders = reordersOf(graph, group, *call);
    out.report.implementation = group.implementation;
    out.report.nest.name = group.name;
    out.report.decisions = call->decisions;
    out.call = call.take();
    return out;
}

// Everything that lowering depends on.
std::string lowerKey(const GroupBody& body, const std::vector<InPlace>& spent, const Group& group) {
    std::string out = group.computedBy == "generated.plain" ? "plain\n" : "";
    for (const InPlace& pair : spent)
        out += fmt::format("{} over {}\n", pair.output, pair.input);
    const OpInst& inst = body.inst;
    for (std::size_t i = 0; i < inst.inputs.size(); ++i) {
        const TensorDecl& decl = inst.inputs[i];
        out += fmt::format("{} {} {} {}\n", decl.name.text(), decl.type.text(),
                           body.inputLayouts[i].text(decl.type.rank()),
                           body.constantInput[i] ? "constant" : "");
    }
    for (std::size_t i = 0; i < inst.outputs.size(); ++i) {
        const TensorDecl& decl = inst.outputs[i];
        out += fmt::format("{} {} {}\n", decl.name.text(), decl.type.text(),
                           body.outputLayouts[i].text(decl.type.rank()));
    }
    out += inst.text();
    for (const Stage& stage : inst.stages)
        for (const std::int64_t node : stage.nodes)
            out += fmt::format("{} ", node);
    return out;
}

// The body with positions in the group instead of graph nodes.
Result<GroupBody> positionedBody(const Graph& graph, const FusionPlan& plan, const Group& group) {
    FW_TRY(GroupBody body, groupBody(graph, plan, group));
    for (Stage& stage : body.inst.stages)
        for (std::int64_t& node : stage.nodes)
            node = std::find(group.nodes.begin(), group.nodes.end(), node) - group.nodes.begin();
    return body;
}

Stmt withNodes(const Stmt& stmt, const std::vector<NodeId>& nodes) {
    StmtNode node = stmt.node();
    for (std::int64_t& position : node.nodes)
        position = nodes.at(static_cast<std::size_t>(position));
    std::sort(node.nodes.begin(), node.nodes.end());
    for (Stmt& part : node.body)
        part = withNodes(part, nodes);
    return Stmt(std::make_shared<const StmtNode>(std::move(node)));
}

Status lowerJob(Job& job, const Target& target) {
    const auto start = std::chrono::steady_clock::now();
    const OpInst& inst = job.body.inst;
    const std::string& name = job.group->name;
    const ScheduleContext context = contextOf(job.body, target);
    // The plain implementation is a choice of its own; the others take the default schedule of
    // their family.
    FW_TRY(job.choice, job.group->computedBy == "generated.plain"
                           ? Result<ScheduleChoice>(plainSchedule(inst, context))
                           : defaultSchedule(inst, context));
    StorageMaps maps = context.maps;
    for (const auto& [tensor, map] : job.choice.packs)
        maps[tensor] = map;
    Result<Lowered> lowered = job.choice.lowered ? Result<Lowered>(std::move(*job.choice.lowered))
                                                 : lower(inst, job.choice.schedule, maps, name);
    job.choice.lowered.reset();
    if (!lowered) {
        job.choice = plainSchedule(inst, context);
        job.choice.decisions.push_back(
            {name, Verdict::Note, ReasonCode::ScheduleFallback, lowered.diag().message});
        lowered = lower(inst, job.choice.schedule, context.maps, name);
        if (!lowered)
            return lowered.takeDiag().at({{}, name});
    }
    job.nest = std::move(lowered->nest);
    job.nest.name = name;
    job.lowerMs = milliseconds(start);
    return {};
}

std::size_t positionOf(const LoopNest& nest, Symbol parameter) {
    return static_cast<std::size_t>(
        std::find_if(nest.parameters.begin(), nest.parameters.end(),
                     [&](const Buffer& buffer) { return buffer.name == parameter; }) -
        nest.parameters.begin());
}

Status compileJob(Job& job, const Target& target, KernelCache* cache) {
    const auto start = std::chrono::steady_clock::now();
    const LoopNest code = codeOf(job.nest);
    CompileOptions options;
    for (const InPlace& pair : job.inPlace)
        options.sharedBuffers.emplace_back(
            positionOf(code, job.body.inst.inputs[pair.input].name),
            positionOf(code, job.body.inst.outputs[pair.output].name));
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
    job.codegenMs = milliseconds(start);
    return {};
}

void runJob(Job& job, const Target& target, KernelCache* cache) {
    try {
        Status done = lowerJob(job, target);
        job.inPlace = allowedInPlace(job.nest, job.body, job.spent);
        if (done)
            done = compileJob(job, target, cache);
        if (!done)
            job.refusal = done.takeDiag();
    } catch (const std::exception& error) {
        job.refusal = makeDiag(DiagCode::Internal, error.what(), {{}, job.group->name});
    }
}

// On several threads; the first refusal wins by order, not by time.
Status runAll(std::vector<Job>& jobs, const Target& target, const ModuleOptions& options) {
    std::atomic<std::size_t> next{1}, done{0};
    // The calling thread has the first job: helpers that are quick to take all others leave it
    // something to tell.
    const auto work = [&](std::size_t first,
                          const std::function<void(const CompileProgress&)>& progress) {
        for (std::size_t i = first; i < jobs.size(); i = next++) {
            if (options.cancel.cancelled())
                return;
            if (progress)
                progress({jobs[i].group->name, done, jobs.size()});
            runJob(jobs[i], target, options.cache);
            ++done;
        }
    };
    std::vector<std::thread> helpers;
    for (int i = 1; i < options.compileThreads && static_cast<std::size_t>(i) < jobs.size(); ++i)
        helpers.emplace_back([&] { work(next++, nullptr); });
    work(0, options.progress);
    for (std::thread& helper : helpers)
        helper.join();
    if (options.cancel.cancelled())
        return makeDiag(DiagCode::Cancelled, "the compilation was cancelled");
    for (Job& job : jobs)
        if (job.refusal)
            return *job.refusal;
    return {};
}

KernelReport reportOf(const Job& job, const Group& group, const Decisions& refusal) {
    KernelReport out;
    out.group = group.id;
    out.schedule = job.choice.name;
    out.scheduleText = job.choice.schedule.text();
    out.tensorText = job.body.inst.text();
    out.nest = job.nest;
    out.nest.name = group.name;
    out.nest.body = withNodes(job.nest.body, group.nodes);
    out.implementation = refusal.empty() ? group.implementation : "generated";
    out.decisions = refusal;
    out.decisions.insert(out.decisions.end(), job.choice.decisions.begin(),
                         job.choice.decisions.end());
    for (const InPlace& pair : job.inPlace)
        out.decisions.push_back(
            {group.name, Verdict::Yes, ReasonCode::ReusesMemory,
             fmt::format("{} is written over {}", job.body.inst.outputs[pair.output].name.text(),
                         job.body.inst.inputs[pair.input].name.text())});
    return out;
}

// The stages of one group as the report of the group.
KernelReport joined(const Group& whole, std::vector<KernelReport> parts) {
    if (parts.size() == 1) {
        parts.front().group = whole.id;
        return std::move(parts.front());
    }
    KernelReport out;
    out.group = whole.id;
    out.nest.name = whole.name;
    out.implementation = whole.implementation;
    for (const KernelReport& part : parts) {
        if (!part.libraryCall.empty()) {
            out.libraryCall = part.libraryCall;
            out.library = part.library;
            out.postOps = part.postOps;
            out.reorders = part.reorders;
        } else {
            out.kernel = part.kernel;
        }
        out.schedule += (out.schedule.empty() ? "" : ", then ") + part.schedule;
        out.decisions.insert(out.decisions.end(), part.decisions.begin(), part.decisions.end());
    }
    if (out.libraryCall.empty())
        out.implementation = "generated";
    out.parts = std::move(parts);
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
    if (isStageCall(group)) {
        const PlanOfStages stages = callsApart(graph, plan);
        std::vector<KernelReport> parts;
        for (const auto& [stage, whole] : stages.whole) {
            if (whole != group.id)
                continue;
            FW_TRY(KernelReport part,
                   lowerGroup(graph, stages.plan,
                              stages.plan.groups[static_cast<std::size_t>(stage)], target));
            parts.push_back(std::move(part));
        }
        return joined(group, std::move(parts));
    }
    Decisions refusal;
    if (auto called = lowerToLibrary(graph, plan, group, target, refusal))
        return std::move(called->report);
    Job job;
    job.group = &group;
    FW_TRY(job.body, positionedBody(graph, plan, group));
    FW_CHECK(lowerJob(job, target));
    return reportOf(job, group, refusal);
}

Result<CompiledModule> compileModule(const Graph& graph, const FusionPlan& plan,
                                     const Target& target, const ModuleOptions& options) {
    if (hasStageCalls(plan)) {
        const PlanOfStages stages = callsApart(graph, plan);
        FW_TRY(CompiledModule compiled, compileModule(graph, stages.plan, target, options));
        std::map<int, std::vector<KernelReport>> parts;
        for (KernelReport& report : compiled.reports)
            parts[stages.whole.at(report.group)].push_back(std::move(report));
        compiled.reports.clear();
        for (auto& [group, reports] : parts)
            compiled.reports.push_back(
                joined(plan.groups[static_cast<std::size_t>(group)], std::move(reports)));
        return compiled;
    }
    CompiledModule out;
    const auto wall = std::chrono::steady_clock::now();
    std::vector<Job> jobs; // distinct
    std::map<std::string, std::size_t> known;
    std::map<int, LoweredGroup> groups;
    std::map<int, std::size_t> jobOf;
    std::map<int, KernelReport> calls;
    std::map<int, Decisions> moved; // groups that a library refused in the end
    for (const Group& group : plan.groups) {
        if (group.isView())
            continue;
        if (options.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the compilation was cancelled");
        Decisions refusal;
        if (auto called = lowerToLibrary(graph, plan, group, target, refusal)) {
            groups[group.id].call = std::move(called->call);
            calls.emplace(group.id, std::move(called->report));
            continue;
        }
        moved[group.id] = std::move(refusal);
        FW_TRY(GroupBody body, positionedBody(graph, plan, group));
        std::vector<InPlace> spent = spentOperands(graph, plan, group, body);
        const auto [place, isNew] = known.emplace(lowerKey(body, spent, group), jobs.size());
        if (isNew) {
            Job& job = jobs.emplace_back();
            job.group = &group;
            job.body = body;
            job.spent = std::move(spent);
        }
        jobOf.emplace(group.id, place->second);
        groups[group.id].body = std::move(body);
    }
    FW_CHECK(runAll(jobs, target, options));
    std::map<Hash, int> kernels;
    std::vector<int> kernelOf;
    for (const Job& job : jobs) {
        out.times.lowerMs += job.lowerMs;
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
    if (options.cache != nullptr && out.times.compiled > 0)
        options.cache->trim();
    for (const Group& group : plan.groups) {
        if (group.isView())
            continue;
        LoweredGroup& lowered = groups.at(group.id);
        lowered.group = &group;
        if (const auto called = calls.find(group.id); called != calls.end()) {
            out.reports.push_back(std::move(called->second));
            continue;
        }
        const std::size_t index = jobOf.at(group.id);
        const Job& job = jobs[index];
        KernelReport report = reportOf(job, group, moved.at(group.id));
        report.kernel = kernelOf[index];
        lowered.nest = report.nest;
        lowered.packs = job.choice.packs;
        lowered.kernel = report.kernel;
        lowered.inPlace = job.inPlace;
        out.reports.push_back(std::move(report));
    }
    out.times.kernelsMs = milliseconds(wall);
    const auto assembling = std::chrono::steady_clock::now();
    FW_TRY(Assembled assembled, assemble(graph, plan, target, groups, out.kernels.size()));
    out.program = std::move(assembled.program);
    out.weights = std::move(assembled.weights);
    out.times.assembleMs = milliseconds(assembling);
    return out;
}

} // namespace fw
