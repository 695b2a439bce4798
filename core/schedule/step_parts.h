// The steps of a schedule in a book, taken apart: their operands by what they are, their numbers.
#pragma once

#include "schedule/schedule.h"
#include "syntax/schedule.h"

namespace fw {

// One step by its kind. The trees are those of the step.
struct StepParts {
    StepKind kind = StepKind::Inline;
    std::vector<const Tree*>
        names; // loops and, of `at`, first the stage, maybe last `recompute`; a Name or a Pack each
    const Tree* number = nullptr; // Split: the factor; Parallel: the grain, if it is written
    Tail tail = Tail::Guard;      // Split
};

// How many of its names, from the first, are loops that it needs; the others are those it makes.
std::size_t loopsUsed(const StepParts& parts);

// Syntax or TextName with line and column: there is no such step, or its operands are not its own.
Result<StepParts> partsOf(const StepTree& step, const std::string& file);

// What the numbers of a schedule may name: lanes, registers, threads, knobs.
using StepNumbers = std::map<std::string, std::int64_t, std::less<>>;
const std::vector<std::string>& machineNumbers(); // "lanes", ...
StepNumbers withKnobs(const ScheduleTree& schedule, StepNumbers machine);

// Integers, names, + - * / (rounded down), min(a, b), max(a, b). The refusal says what is wrong in
// a sentence, with line and column.
Result<std::int64_t> numberOf(const Tree& tree, const StepNumbers& names, const std::string& file);
// The first name in it that is none of `names`; null: all are.
const Tree* unknownNumber(const Tree& tree, const StepNumbers& names);

Result<StorageMap> layoutOf(const StepTree& step, const StepNumbers& names,
                            const std::string& file);

// Every stage and loop by its own name. The refusal says what is wrong with a step, with line and
// column.
Result<ScheduleStep> spelledStep(const StepTree& step, const StepNumbers& names,
                                 const std::string& file);
Result<Schedule> spelledSchedule(const ScheduleTree& schedule, const StepNumbers& machine,
                                 const std::string& file = {});

} // namespace fw
