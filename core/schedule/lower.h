// Lowering: an OpInst, a schedule and a storage map per tensor become a loop nest.
//
// Every stage is a nest of its own (or lies in one); stages follow each other in order. A condition
// (a guarded tail, an index of pad() in range) stands as far out as its variables allow. Reductions
// run in local accumulators; a summand or factor that is the identity outside some range becomes a
// condition, so that padding costs nothing. Offsets of fused loops use the fused variable where the
// strides allow it.
#pragma once

#include "base/decision.h"
#include "loop/trial.h"
#include "schedule/schedule.h"

#include <functional>
#include <optional>

namespace fw {

struct Lowered {
    LoopNest nest; // parameters: inputs, outputs, temporaries; symbols sorted by name
    std::vector<TensorDecl>
        temporaries; // the last parameters: memory for them comes from the caller, row-major
};

// Layouts asked for by the schedule win over `maps`. ScheduleIllegal says which step, with its
// place in the book, and why. The loops have passed verifyLoops(): where they break a rule, the
// step with which they do is refused, so that whoever asked goes on to another schedule. Of a
// template that is a defect, which tests look for.
Result<Lowered> lower(const OpInst& inst, const Schedule& schedule, const StorageMaps& maps,
                      std::string name);

// The first step such that `breaks` holds of the schedule up to it; nullopt: of no part.
std::optional<std::size_t> firstStep(const Schedule& schedule,
                                     const std::function<bool(const Schedule&)>& breaks);

// Runs the loops that were made once, on values that are made up (loop/trial.h). LoopInvalid names
// the access and, where a book's step is the first with which it is bad, the step with its place.
Result<TrialEnd> tryLowered(const OpInst& inst, const Schedule& schedule, const StorageMaps& maps,
                            const Lowered& lowered, const Bindings& symbols, std::uint64_t& steps);

} // namespace fw
