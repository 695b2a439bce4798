// Schedule: how an OpInst is to be computed, as a list of steps, each a value.
//
//     y.split(o, o1, o0, 32, guard)   o = o1 * 32 + o0; a tail is guarded, or peeled into a copy
//     y.fuse(oh, ow, p)               one loop over both, the second moving fastest
//     y.reorder(n, p, o1, o0)         these loops, in this order, in the places they take now
//     y.parallel(n, 4)                threads, at least 4 iterations each; the outermost loop only
//     y.vectorize(l)  y.unroll(u)     lanes, straight-line code; constant extent
//     t.inline()                      computed where it is read
//     conv.at(y, w1)                  computed in the nest of y, inside its loop w1
//     conv.at(y)                      the same, before its loops
//     y.accumulate(w1)                the reduction of y itself is held in registers inside w1
//     r.partial(kl)                   one accumulator per iteration of kl, combined at the end
//     w.layout(d0/32 d2 d3 d1 d0%32)  a constant is packed so while compiling
//
// A stage goes by the tensor it writes; y.1 is the second stage that writes y. Loops and axes are
// named as the variables of the OpInst, which are unique within it; new ones must be new. The text
// is that of a schedule in a book (syntax/schedule.h) with every stage, loop and number spelled
// out.
#pragma once

#include "base/result.h"
#include "ir/op_inst.h"
#include "ir/storage_map.h"

#include <map>

namespace fw {

enum class StepKind : std::uint8_t {
    Split,
    Fuse,
    Reorder,
    Parallel,
    Vectorize,
    Unroll,
    Inline,
    At,
    Accumulate,
    Partial,
    Layout
};
enum class Tail : std::uint8_t { Guard, Peel };

struct ScheduleStep {
    StepKind kind = StepKind::Inline;
    std::string stage;         // Layout: the tensor
    std::vector<Symbol> names; // loops; At: the consumer's stage, then the loop if any
    std::int64_t number = 0;   // Split: factor; Parallel: grain
    Tail tail = Tail::Guard;   // Split
    StorageMap layout;         // Layout
    int line = 0, column = 0;  // in the book that wrote it; 0: a template made it

    bool operator==(const ScheduleStep& other) const; // wherever they were written
    std::string text() const;
};

std::string_view stepText(StepKind kind); // "split"
std::optional<StepKind> parseStepKind(std::string_view text);
const std::vector<std::string>& stepNames();

struct Schedule {
    std::vector<ScheduleStep> steps;

    bool operator==(const Schedule&) const = default;
    std::string text() const; // a line per step
};

// What text() gives, as a value. Syntax with line and column.
Result<Schedule> parseSchedule(std::string_view text);

using StorageMaps = std::map<Symbol, StorageMap>; // tensors without an entry are row-major

std::string stageName(const OpInst& inst, std::size_t stage);

} // namespace fw
