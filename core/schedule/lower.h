// Lowering: an OpInst, a schedule and a storage map per tensor become a loop nest.
//
// Every stage is a nest of its own (or lies in one); stages follow each other in order. A condition
// (a guarded tail, an index of pad() in range) stands as far out as its variables allow. Reductions
// run in local accumulators; a summand or factor that is the identity outside some range becomes a
// condition, so that padding costs nothing. Offsets of fused loops use the fused variable where the
// strides allow it.
#pragma once

#include "base/decision.h"
#include "loop/loop.h"
#include "schedule/schedule.h"

namespace fw {

struct Lowered {
    LoopNest nest; // parameters: inputs, outputs, temporaries; symbols sorted by name
    std::vector<TensorDecl>
        temporaries; // the last parameters: memory for them comes from the caller, row-major
};

// Layouts asked for by the schedule win over `maps`. ScheduleIllegal says which stage and why. The
// loops have passed verifyLoops(): InternalError if they break a rule.
Result<Lowered> lower(const OpInst& inst, const Schedule& schedule, const StorageMaps& maps,
                      std::string name);

} // namespace fw
