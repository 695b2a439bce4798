// Applying a schedule: steps are checked one after another, an illegal one is refused with its
// reason. The result says for every stage which loops it has, in which order, and where it is
// computed.
#pragma once

#include "schedule/schedule.h"

#include "loop/loop.h"

#include <algorithm>
#include <optional>

namespace fw {

struct ScheduledLoop {
    Symbol var;
    LoopKind kind = LoopKind::Serial;
    bool partial = false; // of a reduction: one accumulator per iteration
    std::int64_t grain = 1;
    std::optional<std::size_t> step = {}; // of the schedule: the last one that marked it
};

// How axes become others, in the order in which it was asked for.
struct AxisStep {
    bool isFuse = false;
    Symbol first;  // Split: the axis; Fuse: the slower one
    Symbol second; // Fuse: the faster one
    Symbol outer;  // Split: outer; Fuse: the new axis
    Symbol inner;  // Split
    std::int64_t factor = 1;
    Tail tail = Tail::Guard;
};

template <class List>
auto findLoop(List& list, Symbol var) {
    return std::find_if(list.begin(), list.end(),
                        [&](const ScheduledLoop& loop) { return loop.var == var; });
}

struct ScheduledStage {
    std::string name;
    std::size_t stage = 0;             // in ScheduledGroup::inst
    std::vector<ScheduledLoop> loops;  // over the space, outermost first
    std::vector<ScheduledLoop> reduce; // over the reduced axes
    std::vector<AxisStep> steps;
    std::optional<std::size_t> consumer; // computed in the nest of this stage...
    Symbol loop;                         // ...inside this loop (empty: before its loops)
    bool recompute = false;              // ...anew in each iteration, whatever the one before held
    std::optional<Symbol> accumulate;  // of a reduction at the root: the tile lies inside this loop
    std::optional<std::size_t> placed; // the step of the schedule that said where it is computed
};

struct ScheduledGroup {
    OpInst inst; // without the stages that were inlined
    std::vector<ScheduledStage> stages;
    StorageMaps layouts;
};

Result<ScheduledGroup> applySchedule(const OpInst& inst,
                                     const Schedule& schedule); // ScheduleIllegal

// ScheduleIllegal for this step, with the line of the book that wrote it.
Diag illegalStep(const ScheduleStep& step, const std::string& why);
// The same where no one step is to blame: by the last one that speaks of the stage, if any does.
Diag illegalSchedule(const Schedule& schedule, const std::string& stage, const std::string& why,
                     std::optional<std::size_t> step = {});

// Extents of all axes of a stage, original and derived. An outer axis counts its last, incomplete
// tile if the tail is guarded and only complete ones if it is peeled.
std::map<Symbol, Expr> axisExtents(const Stage& stage, const std::vector<AxisStep>& steps);

} // namespace fw
