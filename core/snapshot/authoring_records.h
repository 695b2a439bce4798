// Records about one declaration of a book: how an operator of the model fits it, and who uses it.
#pragma once

#include "snapshot/book_records.h"
#include "snapshot/record.h"

namespace fw::snapshot {

// clang-format off

// --- probe

FW_WORDS(ProbeKind, "step", "clause", "match", "condition")
FW_WORDS(ProbeVerdict, "undecided", "yes", "no")

// What a declaration asks of one operator, and whether it has it.
FW_RECORD_THAT_IS(TextRange, ProbeRow, // of the clause; line 0: nowhere
    // "step": the operator as this step with all that leads up to it; "clause": one clause of it
    // alone; "match": the whole declaration around it; "condition": of its `where`
    (ProbeKind, kind),
    (ProbeVerdict, verdict),
    (std::string, clause),
    (std::string, expected), // where the verdict is "no"
    (std::string, found)
)

FW_RECORD(ProbeDocument,
    (std::string, model),
    (MatchedStage, stage), // whose node is meant
    (std::string, rule),
    (std::string, kind),  // of the declaration
    (std::string, node),  // its name
    (NodeId, nodeId, noNode),
    (std::string, op),
    (std::vector<ProbeRow>, rows),
    (Diags, diagnostics)  // why the declaration was not tried
)

// --- uses

// A text that names a declaration.
FW_RECORD_THAT_IS(TextRange, UseRecord, // where it is named
    (std::string, kind),                  // of who uses it: "rule", "composite", "test", ...
    (std::string, name),
    (std::string, how),                   // "names it", "tests it"
    (std::string, file),                  // a shipped one without a folder
    (bool, shipped)
)

// What came of a declaration at one place of the model.
FW_RECORD_THAT_IS(TextRange, CameRecord, // what in the declaration is meant; line 0: all of it
    (CameHow, how),
    (std::string, what),                  // the operator, the group, the edge: "conv_3", "conv_3 -> relu_4"
    (std::string, why),                   // "RUL16 the application was undone: ..."
    (std::optional<std::int64_t>, group), // of the plan
    (std::vector<NodeId>, nodes),         // of the imported graph
    (std::optional<double>, estUs),       // of the group
    (std::optional<double>, measuredUs)   // of the log
)

FW_RECORD(UsesDocument,
    (std::string, name),
    (std::string, kind),              // "rule", "operator", ...
    (TextPlace, declared),            // where it begins; line 0: nowhere in a text
    (bool, takesPart, true),          // its book does, in what is planned
    (std::string, said),              // all that came of it in a sentence: "applied at 2 places, undone at 1"
    (std::vector<CameRecord>, came),
    (std::int64_t, moreCame),         // that are not listed
    (std::vector<UseRecord>, uses),
    (std::int64_t, more),             // likewise
    (bool, planned, true)             // false: what the plan would say is missing
)

// clang-format on

} // namespace fw::snapshot
