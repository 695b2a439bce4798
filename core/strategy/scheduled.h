// Implementations that schedules of books make, and what such a schedule must fit.
#pragma once

#include "ir/operator.h"
#include "schedule/written.h"
#include "strategy/implementation.h"

namespace fw {

// "schedule.NAME": accepts what the schedule is for, or all that has a tensor expression, and takes
// along what generated code takes.
ImplementationPtr scheduledImplementation(WrittenSchedule schedule);

// A schedule that books declare.
struct DeclaredSchedule {
    WrittenSchedule written;
    bool refused = false;
};
using ScheduleTable = std::map<std::string, DeclaredSchedule, std::less<>>;

// Axes and operands of an operator that is text; nullopt: its body does not say.
std::optional<OperatorNames> namesOf(const Operator& op);

Diags checkSchedule(const ScheduleTree& schedule, const OperatorSet& operators,
                    const std::vector<std::string>& targetKeys, const std::string& file);
// What is wrong with an entry that is computed by a schedule: there is none, it is refused, or it
// is not for what the block is about. Nothing of entries that have other code.
std::optional<Diag> checkScheduled(const EntryTree& entry, const ImplementationsTree& block,
                                   const Operator* op, const ScheduleTable& schedules,
                                   const std::string& file);

// The block that a schedule for an operator or kind stands for; null: it is used by name only.
std::shared_ptr<const ImplementationsTree> blockOf(const ScheduleTree& schedule);

} // namespace fw
