// Schedules by templates: cheap maps are inlined, stages are gathered into nests (a contraction
// with its epilogue, a row of reductions and maps). One nest is for the template that is asked,
// every other one is offered to the templates in the order of the table:
//     tiled     a tile of accumulators in registers, constant weights packed
//     rowwise   reductions and maps over one row at a time, lanes along the row
//     window    a reduction per element, lanes along the innermost axis
//     map       maps, lanes along the innermost axis, equal strides fused
//     plain     loops as they come, always legal
// A template that does not take a nest says why; `plain` after a refusal leaves a ScheduleFallback.
#pragma once

#include "base/decision.h"
#include "schedule/lower.h"

#include <functional>
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

enum class ScheduleTemplate : std::uint8_t { Tiled, Rowwise, Window, Map, Plain };
std::string_view templateText(ScheduleTemplate which); // "tiled"

class SchedulePlanner;
struct NestPlan;

// One way to schedule a nest: a template, or a schedule of a book (written.h). It takes the nest
// and adds its steps, or says why it does not.
struct NestTemplate {
    std::string name; // "tiled"
    std::function<std::optional<std::string>(SchedulePlanner&, const NestPlan&)> plan;
    Decision taken; // without a subject: what is noted where it takes a nest
};

// A loop nest and the template that took it.
struct ScheduledNest {
    std::string tensor; // that the last of its stages writes
    std::string by;     // NestTemplate::name
};

struct ScheduleChoice {
    std::vector<ScheduledNest> nests; // in order of execution
    std::size_t most = 0;             // the nest with the most work
    Schedule schedule;
    StorageMaps packs; // constants that the schedule wants in another storage map
    Decisions decisions;
    Lowered lowered; // by this schedule

    const std::string& main() const; // the template of the nest with the most work
};

// Every stage in a nest of its own by this template, after maps were inlined where that can be
// lowered.
Result<ScheduleChoice> scheduleEach(const NestTemplate& own, const OpInst& inst,
                                    const ScheduleContext& context);
// Each by `plain`: the nests that all others are compared with.
Result<ScheduleChoice> plainSchedule(const OpInst& inst, const ScheduleContext& context);

// The nest that computes most of `anchor` (as in Stage::nodes) by this template, every other one by
// the first that takes it. ScheduleIllegal with the template's reason if it does not take it, or
// if its steps cannot be lowered.
Result<ScheduleChoice> scheduleBy(ScheduleTemplate own, std::int64_t anchor, const OpInst& inst,
                                  const ScheduleContext& context);
Result<ScheduleChoice> scheduleBy(const NestTemplate& own, std::int64_t anchor, const OpInst& inst,
                                  const ScheduleContext& context);

} // namespace fw
