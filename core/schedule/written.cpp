#include "schedule/written.h"

#include "schedule/apply.h"
#include "schedule/limits.h"
#include "schedule/role_schedule.h"
#include "schedule/step_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

Diag inBook(Diag diag, const std::string& file) {
    if (diag.where.line == 0)
        return diag;
    return makeDiag(
        DiagCode::ScheduleIllegal,
        fmt::format("{}:{}:{}: {}", file, diag.where.line, diag.where.column, diag.message),
        {file, {}, diag.where.line, diag.where.column});
}

Decision takenBy(const WrittenSchedule& schedule) {
    return {{}, Verdict::Yes, ReasonCode::ScheduleWritten, schedule.text()};
}

Result<ScheduleChoice> spelled(const WrittenSchedule& schedule, const OpInst& inst,
                               const ScheduleContext& context) {
    FW_TRY(Schedule steps, spelledSchedule(*schedule.tree,
                                           {{"lanes", context.vectorLanes},
                                            {"registers", context.vectorRegisters},
                                            {"threads", context.threads}},
                                           schedule.file));
    ScheduleChoice out;
    for (const ScheduleStep& step : steps.steps) {
        if (step.kind != StepKind::Layout)
            continue;
        if (!context.constants.contains(Symbol(step.stage)))
            return illegalStep(step, "only a constant is packed");
        if (const auto much = tooMuchPacked(step.layout, inst.find(step.stage)->type.shape))
            return illegalStep(step, *much);
        out.packs[step.stage] = step.layout;
    }
    FW_TRY(out.lowered, lower(inst, steps, context.maps, "check"));
    out.schedule = std::move(steps);
    out.nests.push_back({inst.stages.back().out.text(), schedule.tree->name});
    out.decisions.push_back(takenBy(schedule));
    out.decisions.back().subject = out.nests.back().tensor;
    return out;
}

Result<ScheduleChoice> byRole(const WrittenSchedule& schedule, std::int64_t anchor,
                              const OwnNames& names, const OpInst& inst,
                              const ScheduleContext& context) {
    const auto plan = [&](SchedulePlanner& planner, const NestPlan& nest) {
        return RolePlan(schedule, anchor, names, inst, planner, nest).run();
    };
    const NestTemplate own{schedule.tree->name, plan, takenBy(schedule)};
    return isForEach(*schedule.tree) ? scheduleEach(own, inst, context)
                                     : scheduleBy(own, anchor, inst, context);
}

} // namespace

std::string WrittenSchedule::text() const {
    std::string out = fmt::format("{} ({}:{})", tree->name, file, tree->span.line);
    for (const KnobTree& knob : tree->knobs)
        out += fmt::format(", {} = {}", knob.name, knob.value);
    return out;
}

bool isValueOf(const KnobTree& knob, std::int64_t value) {
    return knob.values.empty()
               ? knob.least <= value && value <= knob.most
               : std::find(knob.values.begin(), knob.values.end(), value) != knob.values.end();
}

bool isByRole(const ScheduleTree& schedule) {
    return std::any_of(schedule.steps.begin(), schedule.steps.end(), [](const StepTree& step) {
        return step.stage == "anchor" || step.stage == "epilogue" || step.stage == eachRole;
    });
}

bool isForEach(const ScheduleTree& schedule) {
    return std::any_of(schedule.steps.begin(), schedule.steps.end(),
                       [](const StepTree& step) { return step.stage == eachRole; });
}

bool usesLanes(const ScheduleTree& schedule) {
    return std::any_of(schedule.steps.begin(), schedule.steps.end(), [](const StepTree& step) {
        return step.name == stepText(StepKind::Vectorize);
    });
}

Result<ScheduleChoice> scheduleAsWritten(const WrittenSchedule& schedule, std::int64_t anchor,
                                         const OwnNames& names, const OpInst& inst,
                                         const ScheduleContext& context) {
    if (inst.stages.empty())
        return makeDiag(DiagCode::ScheduleIllegal, "nothing is computed");
    try {
        Result<ScheduleChoice> out = isByRole(*schedule.tree)
                                         ? byRole(schedule, anchor, names, inst, context)
                                         : spelled(schedule, inst, context);
        return out ? std::move(out) : inBook(out.takeDiag(), schedule.file);
    } catch (const std::exception& error) {
        // Steps that are legal one by one and make no legal loops together.
        return makeDiag(DiagCode::ScheduleIllegal, error.what());
    }
}

} // namespace fw
