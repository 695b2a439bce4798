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

// Who makes use of a declaration: the text that names it, or what came of it in the model.
FW_RECORD_THAT_IS(TextRange, UseRecord, // where it is named; line 0: a group, an application, a node
    (std::string, kind),                  // of who uses it: "rule", "composite", "test", "group", ...
    (std::string, name),
    (std::string, how),                   // "names it", "application 3", "computed by it"
    (std::string, file),                  // of a text; a shipped one without a folder
    (bool, shipped),
    (std::optional<std::int64_t>, group), // of the plan
    (std::vector<NodeId>, nodes)          // of the imported graph
)

FW_RECORD(UsesDocument,
    (std::string, name),
    (std::string, kind),  // "rule", "operator", ...; empty: nothing is declared by this name
    (std::vector<UseRecord>, uses),
    (std::int64_t, more), // that are not listed
    (bool, planned, true) // false: what the plan would say is missing
)

// clang-format on

} // namespace fw::snapshot
