// Lowering: what an implementation makes of a group: loops with the schedule that made them, or a
// call of a library.
#pragma once

#include "schedule/default.h"
#include "schedule/melted.h"
#include "strategy/group_body.h"
#include "target/target.h"

#include <memory>

namespace fw {

struct ExternCall; // extern/call.h

// Of equal groups it is the same; names and values of one group are not in it.
struct KernelCode {
    GroupBody body;
    ScheduleChoice choice; // its loops take constants in the order of `packs`
};

struct Lowering {
    std::shared_ptr<const KernelCode> kernel;
    std::shared_ptr<const ExternCall> call; // then there is no kernel
};

// The group by a template of schedules, its anchor's nest by this one. Refuses with the reason.
Result<Lowering> lowerByTemplate(ScheduleTemplate own, const GroupSite& site, const Target& target);
// Nests of the group inside the loops of the nest that reads them. Refuses with the reason.
Result<Lowering> lowerMelted(Melt how, const GroupSite& site, const Target& target);
// The group by a schedule of a book. Refuses with the step, its line and the reason.
Result<Lowering> lowerAsWritten(const WrittenSchedule& schedule, const GroupSite& site,
                                const Target& target);

} // namespace fw
