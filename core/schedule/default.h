// The default schedule of a group: the first template of an ordered table that takes each nest.
//
// Cheap maps are inlined, then stages are gathered into nests (a contraction with its epilogue, a
// row of reductions and maps) and every nest is offered to the templates in order:
//     contraction_tiled   a tile of accumulators in registers, constant weights packed
//     rowwise             reductions and maps over one row at a time, lanes along the row
//     window              a reduction per element, lanes along the innermost axis
//     elementwise         maps, lanes along the innermost axis, equal strides fused
//     plain               loops as they come, always legal
// A template that does not take a nest says why; `plain` after a refusal leaves a ScheduleFallback.
#pragma once

#include "base/decision.h"
#include "schedule/lower.h"

#include <optional>
#include <set>

namespace fw {

struct ScheduleContext {
    std::int64_t vectorLanes = 16;     // of f32
    std::int64_t vectorRegisters = 32; // 32 with AVX-512, else 16
    int threads = 1;
    StorageMaps maps;
    std::set<Symbol> constants; // inputs known while compiling: they may be packed
    std::int64_t l1Bytes = 32 * 1024;
    std::int64_t l2Bytes = 1024 * 1024;
};

struct ScheduleChoice {
    std::string name; // of the template that took the nest with the most work
    Schedule schedule;
    StorageMaps packs; // constants that the schedule wants in another storage map
    Decisions decisions;
    std::optional<Lowered> lowered; // the default schedule was lowered to see whether it can be
};

Result<ScheduleChoice> defaultSchedule(const OpInst& inst, const ScheduleContext& context);
ScheduleChoice plainSchedule(const OpInst& inst, const ScheduleContext& context);

} // namespace fw
