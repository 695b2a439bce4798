#include "schedule/schedule.h"

#include "schedule/step_parts.h"
#include "syntax/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fw {

const std::vector<std::string>& stepNames() {
    static const std::vector<std::string> names = {// in the order of StepKind
                                                   "split",      "fuse",    "reorder", "parallel",
                                                   "vectorize",  "unroll",  "inline",  "at",
                                                   "accumulate", "partial", "layout"};
    return names;
}

std::string_view stepText(StepKind kind) {
    return stepNames()[static_cast<std::size_t>(kind)];
}

std::optional<StepKind> parseStepKind(std::string_view text) {
    const auto found = std::find(stepNames().begin(), stepNames().end(), text);
    if (found == stepNames().end())
        return std::nullopt;
    return static_cast<StepKind>(found - stepNames().begin());
}

bool ScheduleStep::operator==(const ScheduleStep& other) const {
    return std::tie(kind, stage, names, number, tail, layout) ==
           std::tie(other.kind, other.stage, other.names, other.number, other.tail, other.layout);
}

std::string ScheduleStep::text() const {
    std::string list;
    for (const Symbol name : names)
        list += (list.empty() ? "" : ", ") + name.text();
    if (kind == StepKind::Split)
        list += fmt::format(", {}, {}", number, tail == Tail::Guard ? "guard" : "peel");
    else if (kind == StepKind::Parallel)
        list += fmt::format(", {}", number);
    else if (kind == StepKind::Layout)
        list = layout.text(0);
    return fmt::format("{}.{}({})", stage, stepText(kind), list);
}

std::string Schedule::text() const {
    std::string out;
    for (const ScheduleStep& step : steps)
        out += step.text() + "\n";
    return out;
}

Result<Schedule> parseSchedule(std::string_view text) {
    const FileTree file = parseFile(fmt::format("schedule text {{{}\n}}", text), {});
    if (!file.errors.empty())
        return file.errors.front();
    const auto schedule = only<ScheduleTree>(file);
    if (!schedule)
        return makeDiag(DiagCode::Syntax, "a schedule is a list of steps");
    return spelledSchedule(*schedule, {});
}

std::string stageName(const OpInst& inst, std::size_t stage) {
    const Symbol out = inst.stages[stage].out;
    std::size_t before = 0;
    for (std::size_t i = 0; i < stage; ++i)
        before += inst.stages[i].out == out;
    return before == 0 ? out.text() : fmt::format("{}.{}", out.text(), before);
}

} // namespace fw
