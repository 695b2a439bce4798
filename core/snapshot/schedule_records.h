// Records of `fw schedule`: how one implementation computes one group, as the steps of its schedule
// and as nested loops, beside the other ways to compute the group.
#pragma once

#include "snapshot/record.h"
#include "snapshot/records.h"

namespace fw::snapshot {

// clang-format off

// Held: memory of a tensor, from here to the end of the rows of this depth. Computed: an element is
// written. A part: what stands before another kernel, call or branch.
FW_WORDS(LoopRowKind, "loop", "held", "computed", "part")
// A loop: the first four. Held: the next four, in a ring for as long as the loop inside runs, in the
// memory of the model. Computed: the last two.
FW_WORDS(LoopRowHow, "", "for", "parallel", "vector", "unroll", "register", "stack", "ring", "memory", "stored",
         "updated")
// How the operators that a fusion rule covers are computed; written: by a schedule of a book.
FW_WORDS(GroupWay, "apart", "together", "stacked", "melted", "written")

// A row of the loops: a loop, what is held inside the loop around it, what is computed there. Rows
// stand in the order of the code; what lies inside a row follows it with a larger depth.
FW_RECORD(LoopRow,
    (int, depth),
    (LoopRowKind, kind),
    (std::string, name),                  // of the loop, of the tensor ("t0", "out0"); of a part what it is, in words
    (LoopRowHow, how),
    (std::string, size),                  // iterations, or elements as in "f32[224]"
    (std::optional<std::int64_t>, bytes), // held, where they are known
    (std::vector<NodeId>, nodes),         // of stage "fused", that it comes from
    (std::vector<std::string>, ops)       // their names
)

// What a kernel holds beside what it reads and writes.
FW_RECORD(HeldRecord,
    (std::int64_t, registers), // bytes, at the place where it is most
    (std::int64_t, stack),     // likewise, rings among them
    (std::int64_t, memory)     // of the model
)

// One way to compute what a fusion rule covers.
FW_RECORD(WayOfGroup,
    (GroupWay, way),
    (std::string, implementation),       // of its own code; empty: several groups
    (bool, taken),                       // by the plan
    (std::optional<double>, estUs),
    (std::optional<double>, measuredUs), // of the log
    // That pass between memory and the kernels: operands, results, and what is written in between
    // and read again. None with free dimensions.
    (std::optional<double>, bytes),
    (std::optional<HeldRecord>, held),
    (std::string, note)                  // why not, or what it does, in a sentence
)

// One of several implementations that the sizes of a run choose among, in the order in which they
// are asked.
FW_RECORD(BranchRecord,
    (std::string, implementation),
    (std::string, condition), // "where M <= 16: M = N (my.fw:3)", "else"
    (std::string, sizes),     // that reach it: "N = 1..16"; empty: several dimensions take part
    (std::optional<double>, estUs)
)

FW_RECORD(ScheduleDocument,
    (std::string, model),
    (std::string, target),
    (int, group, -1),
    (std::string, name),                     // of the group
    (std::string, implementation),           // whose schedule it is
    (std::string, text),                     // its steps; of a library its call
    // Declarations that begin a schedule of a book from these steps, with a pin that uses it; empty
    // where `notBegun` says why.
    (std::string, begun),
    (std::string, notBegun),
    (TextPlace, written),                    // where a book declares the schedule; line 0: no book does
    (std::string, refused),                  // why there is no code; then there are no steps and no loops
    (std::optional<double>, estUs),
    (std::optional<double>, measuredUs),
    (std::optional<double>, bytes),          // as of a way
    (std::optional<HeldRecord>, held),
    (std::vector<LoopRow>, loops),
    (std::int64_t, moreLoops),               // rows that are not listed
    (std::vector<WayOfGroup>, ways),
    (std::vector<BranchRecord>, branches),
    (std::vector<DecisionRecord>, conflicts) // ties, pins that are not followed, priorities that cost
)

// clang-format on

} // namespace fw::snapshot
