// The schedule of a group as text: steps, loops inside each other, the other ways beside it.
#include "render.h"

#include "snapshot/time_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fw::cli {

using namespace snapshot;

namespace {

std::string us(const std::optional<double>& value) {
    return value ? timeText(*value) : "-";
}

std::string heldText(const std::optional<HeldRecord>& held) {
    if (!held)
        return "-";
    std::string out;
    const auto add = [&](std::int64_t bytes, std::string_view where) {
        if (bytes > 0)
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ",
                               bytesText(static_cast<double>(bytes)), where);
    };
    add(held->registers, "in registers");
    add(held->stack, "on the stack");
    add(held->memory, "in memory");
    return out.empty() ? "nothing" : out;
}

std::string lineOf(const LoopRow& row) {
    const std::string of =
        row.ops.empty() ? std::string() : fmt::format("  # {}", fmt::join(row.ops, ", "));
    if (row.kind == "loop")
        return fmt::format("{} {} in {}{}", row.how.text(), row.name, row.size, of);
    if (row.kind == "held")
        return fmt::format("holds {}: {}, {} in {}", row.name, row.size,
                           row.bytes ? bytesText(static_cast<double>(*row.bytes)) : "? bytes",
                           row.how == "stack"      ? "the stack"
                           : row.how == "register" ? "registers"
                           : row.how == "ring"     ? "a ring of rows"
                                                   : row.how.text());
    if (row.kind == "computed")
        return fmt::format("{} {}{}", row.how == "updated" ? "updates" : "stores", row.name, of);
    return row.name;
}

} // namespace

std::string render(const ScheduleDocument& document) {
    std::string out =
        fmt::format("group {}: {} by {}\n", document.group, document.name, document.implementation);
    out += fmt::format("estimate {}, measured {}, {} moved, holds {}\n", us(document.estUs),
                       us(document.measuredUs),
                       document.bytes ? bytesText(*document.bytes) : std::string("-"),
                       heldText(document.held));
    for (const DecisionRecord& conflict : document.conflicts)
        out += fmt::format("{} {}: {}\n", conflict.code, conflict.from, conflict.sentence);
    if (!document.refused.empty())
        out += fmt::format("no loops: {}\n", document.refused);
    if (!document.branches.empty()) {
        out += "\nby size\n";
        Table table({"", "computed by", "sizes", "est us"}, {false, false, false, true});
        for (const BranchRecord& branch : document.branches)
            table.row({"  " + branch.condition, branch.implementation,
                       branch.sizes.empty() ? "-" : branch.sizes,
                       branch.estUs ? decimal(*branch.estUs, 1) : "-"});
        out += table.text();
    }
    if (!document.ways.empty()) {
        out += "\nways\n";
        Table table({"way", "est us", "measured us", "moved", "holds", ""},
                    {false, true, true, true, false, false});
        for (const WayOfGroup& way : document.ways)
            table.row({way.way.str() + (way.taken ? " *" : ""),
                       way.estUs ? decimal(*way.estUs, 1) : "-",
                       way.measuredUs ? decimal(*way.measuredUs, 1) : "-",
                       way.bytes ? bytesText(*way.bytes) : "-",
                       way.way == "apart" ? "" : heldText(way.held), way.note});
        out += table.text();
    }
    if (!document.text.empty())
        out += "\nschedule\n" + indented(document.text);
    if (!document.loops.empty()) {
        if (out.back() != '\n')
            out += '\n';
        out += "\nloops\n";
        for (const LoopRow& row : document.loops)
            out +=
                std::string(2 + 2 * static_cast<std::size_t>(row.depth), ' ') + lineOf(row) + "\n";
        if (document.moreLoops > 0)
            out += fmt::format("  ... {} more\n", document.moreLoops);
    }
    if (!document.begun.empty())
        out += "\nas a book\n" + indented(document.begun);
    else if (!document.notBegun.empty() && document.refused.empty())
        out += fmt::format("\nno book begins with it: {}\n", document.notBegun);
    return out;
}

} // namespace fw::cli
