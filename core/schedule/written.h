// Schedules that books write.
//
// One whose steps name `anchor` or `epilogue` is made for any instance: the anchor is the stage
// that computes the operator, the epilogue the one that stores what its nest computes, axes go by
// the operator's own names. Maps are inlined first and other nests scheduled as by the templates.
// One whose steps name `each` is for every stage in a nest of its own.
// Any other one is spelled out: it names the stages and loops of one instance, as printed.
#pragma once

#include "schedule/default.h"
#include "syntax/schedule.h"

namespace fw {

struct WrittenSchedule {
    std::shared_ptr<const ScheduleTree> tree;
    std::string file;

    std::string text() const; // "wide (my.fw:3), rows = 14"
};

// What an operator calls its axes and tensors -> what the computation of its group calls them.
struct OwnNames {
    std::map<Symbol, Symbol> axes;
    std::map<Symbol, Symbol> tensors;
};

bool isValueOf(const KnobTree& knob, std::int64_t value);

bool isByRole(const ScheduleTree& schedule);
bool isForEach(const ScheduleTree& schedule); // by roles, for every stage
bool usesLanes(const ScheduleTree& schedule); // it vectorizes something

inline constexpr std::string_view eachRole = "each";

// The nest that computes most of `anchor` (as in Stage::nodes) by this schedule, or the whole
// computation if it is spelled out. ScheduleIllegal names the step, its line in the book and the
// reason.
Result<ScheduleChoice> scheduleAsWritten(const WrittenSchedule& schedule, std::int64_t anchor,
                                         const OwnNames& names, const OpInst& inst,
                                         const ScheduleContext& context);

// The names of an operator that a schedule by roles may use.
struct OperatorNames {
    std::vector<std::string> axes;    // packs as "p..."
    std::vector<std::string> tensors; // operands
};

// What can be said of the steps before they meet an instance: unknown steps, names that no step
// makes, operands of another kind, knobs out of range. `names`: of the operator, if it is known.
Diags checkSteps(const ScheduleTree& schedule, const std::optional<OperatorNames>& names,
                 const std::string& file);

} // namespace fw
