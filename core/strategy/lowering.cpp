#include "strategy/lowering.h"

namespace fw {

namespace {

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
    for (const auto& [inner, map] : body.innerLayouts)
        out.maps[inner] = map;
    return out;
}

// `schedule` is given the position of the anchor, the body and its context.
template <class Make>
Result<Lowering> lowered(const GroupSite& site, const Target& target, const Make& schedule) {
    KernelCode code;
    FW_TRY(code.body, groupBody(site));
    std::int64_t anchor = 0;
    while (site.nodes[static_cast<std::size_t>(anchor)] != site.anchor)
        ++anchor;
    FW_TRY(code.choice, schedule(anchor, code.body, contextOf(code.body, target)));
    return Lowering{std::make_shared<const KernelCode>(std::move(code)), nullptr};
}

} // namespace

Result<Lowering> lowerByTemplate(ScheduleTemplate own, const GroupSite& site,
                                 const Target& target) {
    return lowered(site, target,
                   [&](std::int64_t anchor, const GroupBody& body, const ScheduleContext& context) {
                       return scheduleBy(own, anchor, body.inst, context);
                   });
}

Result<Lowering> lowerMelted(Melt how, const GroupSite& site, const Target& target) {
    return lowered(site, target,
                   [&](std::int64_t, const GroupBody& body, const ScheduleContext& context) {
                       return meltedSchedule(body.inst, context, how);
                   });
}

Result<Lowering> lowerAsWritten(const WrittenSchedule& schedule, const GroupSite& site,
                                const Target& target) {
    return lowered(site, target,
                   [&](std::int64_t anchor, const GroupBody& body, const ScheduleContext& context) {
                       return scheduleAsWritten(schedule, anchor, body.anchor, body.inst, context);
                   });
}

} // namespace fw
