#include "schedule/lower.h"

#include "loop/passes.h"
#include "loop/verify_loops.h"
#include "schedule/lower_nest.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// A stage has memory of its own if the caller sees it, if it stands at the root or is read beyond
// its nest.
bool needsMemory(const ScheduledGroup& group, const ScheduledStage& stage) {
    const Symbol out = group.inst.stages[stage.stage].out;
    if (!stage.consumer)
        return true;
    for (const TensorDecl& output : group.inst.outputs)
        if (output.name == out)
            return true;
    for (const ScheduledStage& user : group.stages)
        if (user.stage != *stage.consumer && user.consumer != stage.consumer &&
            loadedTensors(group.inst.stages[user.stage].body).contains(out))
            return true;
    return false;
}

Result<Lowered> made(const OpInst& inst, const Schedule& schedule, const StorageMaps& maps,
                     std::string name) {
    FW_TRY(const ScheduledGroup group, applySchedule(inst, schedule));
    std::map<Symbol, MemoryTensor> memory;
    const auto mapOf = [&](Symbol tensor) {
        if (const auto own = group.layouts.find(tensor); own != group.layouts.end())
            return own->second;
        const auto given = maps.find(tensor);
        return given == maps.end() ? StorageMap() : given->second;
    };
    Lowered out;
    out.nest.name = std::move(name);
    const auto addParameter = [&](const TensorDecl& decl, const StorageMap& map,
                                  BufferAccess access) {
        memory[decl.name] = {decl, map};
        out.nest.parameters.push_back({decl.name, decl.type.dtype,
                                       simplify(storageSize(map, decl.type.shape)),
                                       BufferScope::Parameter, access});
    };
    for (const TensorDecl& decl : group.inst.inputs)
        addParameter(decl, mapOf(decl.name), BufferAccess::Read);
    std::set<Symbol> read;
    for (const Stage& stage : group.inst.stages)
        for (const Symbol tensor : loadedTensors(stage.body))
            read.insert(tensor);
    for (const TensorDecl& decl : group.inst.outputs)
        addParameter(decl, mapOf(decl.name),
                     read.contains(decl.name) ? BufferAccess::ReadWrite : BufferAccess::Write);
    for (const TensorDecl& decl : group.inst.temporaries) {
        const auto holds = [&](const ScheduledStage& stage) {
            return group.inst.stages[stage.stage].out == decl.name && needsMemory(group, stage);
        };
        if (std::any_of(group.stages.begin(), group.stages.end(), holds))
            memory[decl.name] = {decl, mapOf(decl.name)};
    }
    std::set<Symbol> symbols = freeDimsOf(group.inst);
    for (const auto& [tensor, place] : memory) // a tensor inside of a larger one has its sizes
        for (const StorageSlice& slice : place.map.slices) {
            symbols.merge(freeVars(slice.extent));
            symbols.merge(freeVars(slice.offset));
        }
    out.nest.symbols.assign(symbols.begin(), symbols.end());
    std::vector<Stmt> nests;
    try {
        for (const ScheduledStage& stage : group.stages)
            if (!stage.consumer)
                nests.push_back(NestLowering(group, memory, stage.stage).lower());
    } catch (const LowerRefusal& refusal) {
        return illegalSchedule(schedule, refusal.stage, refusal.why, refusal.step);
    }
    // Nests may have asked for memory too, where a local buffer would be too large.
    for (const TensorDecl& decl : group.inst.temporaries) {
        if (!memory.contains(decl.name))
            continue;
        addParameter(decl, memory.at(decl.name).map, BufferAccess::ReadWrite);
        out.temporaries.push_back(decl);
    }
    out.nest.body = blockStmt(std::move(nests));
    out.nest = optimizeLoops(out.nest);
    return out;
}

// Which rule the loops break, if they break one.
std::optional<std::string> brokenRule(const Result<Lowered>& lowered) {
    if (!lowered)
        return std::nullopt;
    const LoopReport report = verifyLoops(lowered->nest, LoopFindings::Skip);
    return report.ok() ? std::nullopt : std::optional(report.errors.front().message);
}

} // namespace

Result<Lowered> lower(const OpInst& inst, const Schedule& schedule, const StorageMaps& maps,
                      std::string name) {
    Result<Lowered> out = made(inst, schedule, maps, std::move(name));
    const std::optional<std::string> broken = brokenRule(out);
    if (!broken)
        return out;
    const auto step = firstStep(schedule, [&](const Schedule& part) {
        return brokenRule(made(inst, part, maps, "part")).has_value();
    });
    return illegalSchedule(schedule, out->nest.name, "the loops would break a rule: " + *broken,
                           step);
}

std::optional<std::size_t> firstStep(const Schedule& schedule,
                                     const std::function<bool(const Schedule&)>& breaks) {
    Schedule part;
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
        part.steps.push_back(schedule.steps[i]);
        if (breaks(part))
            return i;
    }
    return std::nullopt;
}

Result<TrialEnd> tryLowered(const OpInst& inst, const Schedule& schedule, const StorageMaps& maps,
                            const Lowered& lowered, const Bindings& symbols, std::uint64_t& steps) {
    const std::uint64_t most = steps;
    Result<TrialEnd> out = tryLoops(lowered.nest, symbols, steps);
    if (out)
        return out;
    Diag diag = out.takeDiag();
    const auto reachesOutside = [&](const Schedule& part) {
        std::uint64_t left = most;
        const Result<Lowered> some = made(inst, part, maps, "part");
        return some && !tryLoops(some->nest, symbols, left);
    };
    const auto step = reachesOutside({}) ? std::nullopt : firstStep(schedule, reachesOutside);
    if (step && schedule.steps[*step].line > 0) {
        diag.message = fmt::format("{}: {}", schedule.steps[*step].text(), diag.message);
        diag.where.line = schedule.steps[*step].line;
        diag.where.column = schedule.steps[*step].column;
    }
    return diag;
}

} // namespace fw
