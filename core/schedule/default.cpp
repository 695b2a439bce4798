#include "schedule/default.h"

#include "schedule/lower.h"
#include "schedule/planner.h"

#include <fmt/format.h>

namespace fw {

namespace {

struct Template {
    const char* name;
    Refused (*plan)(Planner&, const NestPlan&);
};

// In order: the first that takes a nest schedules it.
constexpr Template templates[] = {
    {"contraction_tiled", planContraction},
    {"rowwise", planRowwise},
    {"window", planWindow},
    {"elementwise", planElementwise},
};

// The name of the template that took the nest; else empty, with what they all said.
std::string firstTemplate(Planner& planner, const NestPlan& nest, std::string& refusals) {
    for (const Template& candidate : templates) {
        const std::size_t before = planner.schedule.steps.size();
        const StorageMaps packs = planner.packs;
        const Refused why = candidate.plan(planner, nest);
        if (!why)
            return candidate.name;
        planner.schedule.steps.resize(before);
        planner.packs = packs;
        refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", candidate.name, *why);
    }
    return {};
}

double workOf(const Planner& planner, const NestPlan& nest) {
    double work = 0;
    std::vector<std::size_t> stages = nest.members;
    stages.push_back(nest.root);
    for (const std::size_t i : stages) {
        double points = bodyCost(planner.stage(i).body) + 1;
        for (const auto* axes : {&planner.stage(i).space, &planner.stage(i).reduce})
            for (const Axis& axis : *axes)
                points *= static_cast<double>(constantOr(axis.extent, 64));
        work += points;
    }
    return work;
}

} // namespace

ScheduleChoice plainSchedule(const OpInst& inst, const ScheduleContext& context) {
    Planner planner(inst, context);
    for (std::size_t i = 0; i < inst.stages.size(); ++i)
        planPlain(planner, {i, {}, {}, {}});
    return {"plain", std::move(planner.schedule), {}, {}, {}};
}

Result<ScheduleChoice> defaultSchedule(const OpInst& inst, const ScheduleContext& context) {
    Planner planner(inst, context);
    planner.inlineMaps();
    ScheduleChoice out;
    double most = -1;
    std::vector<NestPlan> nests = planner.nests();
    for (std::size_t k = 0; k < nests.size(); ++k) {
        const NestPlan nest = nests[k];
        const std::string subject = planner.stage(nest.root).out.text();
        std::string refusals;
        std::string taken = firstTemplate(planner, nest, refusals);
        if (taken.empty() && !nest.members.empty()) {
            // No template takes the stages together: every stage gets a nest of its own.
            out.decisions.push_back({subject, Verdict::Note, ReasonCode::ScheduleFallback,
                                     "nests apart, since " + refusals});
            std::vector<NestPlan> apart;
            std::vector<std::size_t> stages = nest.members;
            stages.push_back(nest.root);
            for (const std::size_t i : stages) {
                NestPlan single{i, {}, {}, {}};
                for (const Axis& axis : planner.stage(i).space) {
                    single.row.insert(axis.var);
                    single.axes[i][axis.var] = axis.var;
                }
                apart.push_back(std::move(single));
            }
            nests.insert(nests.begin() + static_cast<std::ptrdiff_t>(k) + 1, apart.begin(),
                         apart.end());
            continue;
        }
        if (taken.empty()) {
            planPlain(planner, nest);
            taken = "plain";
            out.decisions.push_back(
                {subject, Verdict::Note, ReasonCode::ScheduleFallback, "plain, since " + refusals});
        } else {
            out.decisions.push_back({subject, Verdict::Yes, ReasonCode::ScheduleDefault, taken});
        }
        if (const double work = workOf(planner, nest); work > most) {
            most = work;
            out.name = taken;
        }
    }
    for (const auto& [tensor, map] : planner.packs)
        planner.schedule.steps.push_back(
            {StepKind::Layout, tensor.text(), {}, 0, Tail::Guard, map});
    out.schedule = std::move(planner.schedule);
    out.packs = std::move(planner.packs);
    // A template that asks for something illegal is a mistake of ours: the plain schedule stands
    // in, visibly.
    Result<Lowered> lowered = lower(inst, out.schedule, context.maps, "check");
    if (lowered.ok()) {
        out.lowered = lowered.take();
    } else {
        Decisions decisions = std::move(out.decisions);
        decisions.push_back({inst.stages.empty() ? "" : inst.stages.back().out.text(),
                             Verdict::Note, ReasonCode::ScheduleFallback,
                             "plain, since " + lowered.diag().message});
        out = plainSchedule(inst, context);
        out.decisions = std::move(decisions);
    }
    return out;
}

} // namespace fw
