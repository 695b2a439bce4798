// Records of `fw step`: one application of a rule on its own, with what lies around it.
#pragma once

#include "snapshot/record.h"
#include "snapshot/records.h"

namespace fw::snapshot {

// clang-format off

FW_RECORD(SteppedNode,
    (NodeId, node, noNode),
    (NodeMark, mark),        // changed: it reads another value
    (bool, matched),     // by the rule
    // Operands that it has in front of the application only, and behind it only: their places.
    (std::vector<std::int64_t>, before),
    (std::vector<std::int64_t>, behind)
)

// Applications of one rule that follow one another.
FW_RECORD(ApplicationRun,
    (std::string, rule),
    (std::string, file),   // as in ApplicationRecord
    (std::int64_t, line),
    (std::int64_t, first), // number of its first application, from 1
    (std::int64_t, count)
)

// What could have been done in place of an application, and lost an operator to it.
FW_RECORD(StepChoice,
    (std::string, rule),
    (std::string, at),                  // the first operator that it matches
    (std::string, file),                // as in ApplicationRecord
    (std::int64_t, line),
    (std::vector<RewrittenNode>, matched),
    (std::vector<std::string>, shared), // operators that the application took of it
    (std::string, unfit)                // why its right side does not fit; empty: it does
)

// How a choice gets its turn.
FW_RECORD(StepInstead,
    (std::vector<std::string>, leaveOut), // applications, besides those that are left out
    (std::vector<std::string>, again),    // that are left out, and must not be
    (std::int64_t, number),               // of its application then; 0: it cannot be had
    (std::string, refused)                // why
)

FW_RECORD(StepDocument,
    (std::string, model),
    (std::int64_t, total),                           // applications
    (std::optional<ApplicationRecord>, application), // absent: there is none
    // what it stopped for, "creates max: Relu_1"; "end": nothing came of it; empty: this one was asked for
    (std::string, stopped),
    // What is in front of the application and behind it in one graph: an operator that reads
    // another value has both operands. Stage "step"; ids are those of the rewriting.
    (GraphDocument, graph),
    (std::vector<SteppedNode>, nodes),               // of the graph, in its order
    (std::int64_t, hidden),                          // operators in reach that are too many to draw
    (std::vector<ApplicationRun>, runs),
    // Of the application that was done; in the order of the books.
    (std::vector<StepChoice>, choices),
    (std::string, choicesStopped),                   // why there may be more; empty: these are all
    // What is shown is no application of the rewriting, but this one of `choices`, from 1, as if it
    // were done instead.
    (std::optional<std::int64_t>, choice),
    (std::optional<StepInstead>, instead)            // of the choice
)

// clang-format on

} // namespace fw::snapshot
