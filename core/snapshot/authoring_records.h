// Records about one declaration of a book: how an operator of the model fits it, and who uses it.
#pragma once

#include "snapshot/book_records.h"

namespace fw::snapshot {

// --- probe

// What a declaration asks of one operator, and whether it has it.
struct ProbeRow : TextRange { // of the clause; line 0: nowhere
    // "step": the operator as this step with all that leads up to it; "clause": one clause of it
    // alone; "match": the whole declaration around it; "condition": of its `where`
    std::string kind;
    std::string verdict; // "yes", "no", "undecided"
    std::string clause;
    std::string expected; // where the verdict is "no"
    std::string found;

    bool operator==(const ProbeRow&) const = default;
};

struct ProbeDocument {
    std::string model;
    std::string stage; // "imported" or "rewritten": whose node is meant
    std::string rule;
    std::string kind; // of the declaration
    std::string node; // its name
    NodeId nodeId = noNode;
    std::string op;
    std::vector<ProbeRow> rows;
    Diags diagnostics; // why the declaration was not tried

    bool operator==(const ProbeDocument&) const = default;
};

// --- uses

// Who makes use of a declaration: the text that names it, or what came of it in the model.
struct UseRecord : TextRange { // where it is named; line 0: a group, an application, a node
    std::string kind;          // of who uses it: "rule", "composite", "test", "group", ...
    std::string name;
    std::string how;  // "names it", "application 3", "computed by it"
    std::string file; // of a text; a shipped one without a folder
    bool shipped = false;
    std::optional<std::int64_t> group = {}; // of the plan
    std::vector<NodeId> nodes = {};         // of the imported graph

    bool operator==(const UseRecord&) const = default;
};

struct UsesDocument {
    std::string name;
    std::string kind; // "rule", "operator", ...; empty: nothing is declared by this name
    std::vector<UseRecord> uses;
    std::int64_t more = 0; // that are not listed
    bool planned = true;   // false: what the plan would say is missing

    bool operator==(const UsesDocument&) const = default;
};

} // namespace fw::snapshot
