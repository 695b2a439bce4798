// The tree of a schedule in a book, written as in resources/docs/grammar.md. What its steps do
// stands in resources/docs/schedules.md.
#pragma once

#include "syntax/strategy.h"

namespace fw {

struct KnobTree {
    std::string name;
    std::vector<std::int64_t> values; // of a set; empty: from `least` to `most`
    std::int64_t least = 0, most = 0;
    std::int64_t value = 0; // where nobody says another one
    Span span;
};

// d0/32: one physical axis of a storage map.
struct LayoutAxisTree {
    std::int64_t dim = 0;
    std::optional<Tree> div, mod;
    Span span;
};

struct StepTree {
    std::string stage; // "y", "y.1"; of a layout the tensor
    std::string name;  // "split"
    std::vector<Tree> args;
    std::vector<LayoutAxisTree> layout; // of a layout, which has no args; empty: row-major
    Span span, nameSpan;
    std::string text; // as written
};

struct ScheduleTree : DeclarationTree {
    std::optional<SubjectKind> subjectKind; // nothing: it is used by name only
    std::string subject;                    // "conv2d", "contraction"
    Span subjectSpan;
    std::vector<ConditionTree> where; // with a subject, of a call
    std::vector<KnobTree> knobs;
    std::vector<StepTree> steps;
};

// A knob at a value.
struct KnobSetting {
    std::string name;
    std::int64_t value = 0;
};
using KnobSettings = std::vector<KnobSetting>;

// An entry with knobs at other values than those behind `=`: "mine(rows = 8, columns = 2)".
std::string nameAt(std::string_view entry, const KnobSettings& settings);
// "mine" of such a name; the name itself if it has none.
std::string_view entryOf(std::string_view name);
// Empty: it has none, or reads otherwise.
KnobSettings settingsOf(std::string_view name);
// A name of an implementation, with knobs or without.
std::string parseImplementationName(Parser& parser, std::string_view what,
                                    Expect stands = Expect::Implementation);

// What arguments of a step name beside loops, stages and knobs.
const std::vector<std::string>& stepWords();

// The code that an entry with `by schedule NAME` names, as other code is named: "schedule.NAME".
std::string scheduleCode(std::string_view name);
// NAME of such a code; nullopt: it is another one.
std::optional<std::string_view> scheduleOfCode(std::string_view code);

} // namespace fw
