#include "schedule/schedule.h"

#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace fw {

namespace {

constexpr std::array<std::string_view, 11> stepNames = {
    "split",  "fuse", "reorder",    "parallel", "vectorize", "unroll",
    "inline", "at",   "accumulate", "partial",  "layout"};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> pieces(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const auto end = text.find(separator);
        out.push_back(trimmed(text.substr(0, end)));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return out;
}

struct Arity {
    std::size_t least, most;
};

Arity arityOf(StepKind kind) {
    switch (kind) {
    case StepKind::Split:
    case StepKind::Fuse:
        return {3, 3};
    case StepKind::Reorder:
        return {2, 64};
    case StepKind::Parallel:
    case StepKind::Vectorize:
    case StepKind::Unroll:
    case StepKind::Partial:
        return {1, 1};
    case StepKind::At:
        return {1, 2};
    case StepKind::Accumulate:
        return {0, 1};
    case StepKind::Inline:
    case StepKind::Layout:
        return {0, 0};
    }
    return {0, 0};
}

Diag wrong(int line, std::string what) {
    return makeDiag(DiagCode::Syntax, std::move(what), {.line = line});
}

Result<ScheduleStep> parseStep(std::string_view text, int line) {
    const auto open = text.find('('), close = text.rfind(')');
    const auto dot = text.substr(0, open).rfind('.');
    if (open == std::string_view::npos || close != text.size() - 1 ||
        dot == std::string_view::npos || dot == 0)
        return wrong(line, fmt::format("a step reads stage.name(...), not \"{}\"", text));
    const std::string_view name = text.substr(dot + 1, open - dot - 1),
                           inside = text.substr(open + 1, close - open - 1);
    const auto found = std::find(stepNames.begin(), stepNames.end(), name);
    if (found == stepNames.end())
        return wrong(line, fmt::format("no step is called \"{}\"", name));
    ScheduleStep step;
    step.kind = static_cast<StepKind>(found - stepNames.begin());
    step.stage = std::string(text.substr(0, dot));
    if (step.kind == StepKind::Layout) {
        FW_TRY(step.layout, parseStorageMap(inside));
        return step;
    }
    std::vector<std::string_view> parts = pieces(inside, ',');
    if (step.kind == StepKind::Split) {
        const auto factor = parts.size() == 5 ? parseInteger(parts[3]) : std::nullopt;
        if (!factor || *factor < 1 || (parts[4] != "guard" && parts[4] != "peel"))
            return wrong(line, "a split reads split(axis, outer, inner, factor, guard) or peel");
        step.number = *factor;
        step.tail = parts[4] == "guard" ? Tail::Guard : Tail::Peel;
        parts.resize(3);
    } else if (step.kind == StepKind::Parallel) {
        const auto grain = parts.size() == 2 ? parseInteger(parts[1]) : std::nullopt;
        if (!grain || *grain < 1)
            return wrong(line, "parallel reads parallel(loop, grain)");
        step.number = *grain;
        parts.resize(1);
    }
    const Arity arity = arityOf(step.kind);
    if (parts.size() < arity.least || parts.size() > arity.most)
        return wrong(line, fmt::format("wrong number of operands of {}", name));
    for (const std::string_view part : parts) {
        if (part.empty())
            return wrong(line, "a name is missing");
        step.names.emplace_back(part);
    }
    return step;
}

} // namespace

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
    return fmt::format("{}.{}({})", stage, stepNames[static_cast<std::size_t>(kind)], list);
}

std::string Schedule::text() const {
    std::string out;
    for (const ScheduleStep& step : steps)
        out += step.text() + "\n";
    return out;
}

Result<Schedule> parseSchedule(std::string_view text) {
    Schedule out;
    int line = 0;
    for (std::string_view part : pieces(text, '\n')) {
        ++line;
        // # starts a comment only after a blank: y#1 names a stage
        if (const auto hash = part.find(" #"); hash != std::string_view::npos)
            part = trimmed(part.substr(0, hash));
        if (part.empty() || part[0] == '#')
            continue;
        FW_TRY(auto step, parseStep(part, line));
        out.steps.push_back(std::move(step));
    }
    return out;
}

Result<StorageMap> parseStorageMap(std::string_view text) {
    StorageMap out;
    if (trimmed(text) == "row-major")
        return out;
    for (const std::string_view part : pieces(text, ' ')) {
        if (part.empty())
            continue;
        const auto slash = part.find('/'), percent = part.find('%');
        const auto nameEnd = std::min({slash, percent, part.size()});
        const auto dim = part[0] == 'd' ? parseInteger(part.substr(1, nameEnd - 1)) : std::nullopt;
        std::optional<std::int64_t> div = 1, mod = 0;
        if (slash != std::string_view::npos)
            div = parseInteger(part.substr(
                slash + 1, percent == std::string_view::npos ? percent : percent - slash - 1));
        if (percent != std::string_view::npos)
            mod = parseInteger(part.substr(percent + 1));
        if (!dim || *dim < 0 || *dim > 63 || !div || *div < 1 || !mod || *mod < 0)
            return makeDiag(
                DiagCode::Syntax,
                fmt::format("\"{}\" is no axis of a storage map, such as d0, d1/32 or d1%32",
                            part));
        out.axes.push_back({static_cast<int>(*dim), *div, *mod});
    }
    return out;
}

std::string stageName(const OpInst& inst, std::size_t stage) {
    const Symbol out = inst.stages[stage].out;
    std::size_t before = 0;
    for (std::size_t i = 0; i < stage; ++i)
        before += inst.stages[i].out == out;
    return before == 0 ? out.text() : fmt::format("{}#{}", out.text(), before);
}

} // namespace fw
