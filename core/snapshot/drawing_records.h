// A declaration as a graph: what its pattern takes and what its right side makes, in one picture.
#pragma once

#include "snapshot/book_records.h"
#include "snapshot/record.h"
#include "snapshot/records.h"

namespace fw::snapshot {

// clang-format off

FW_RECORD(DrawnNode,
    (NodeId, node, noNode),
    (NodeMark, mark),        // of names, constants and words: empty
    (TextRange, range),  // where it is written
    (std::string, name), // that it has there: "c" of `c = relu(x)`
    (std::vector<Fix>, clauses) // its attributes as written: "strides = [1, 1]"
)

FW_RECORD(DrawingDocument,
    (std::string, name),    // of the declaration; empty: the place is in none that has a pattern
    (std::string, kind),    // "rule", "pattern", ...
    (TextRange, range),
    (GraphDocument, graph), // stage "pattern"; attributes are written out as in the text
    (std::vector<DrawnNode>, nodes),
    (Diags, diagnostics)
)

// clang-format on

} // namespace fw::snapshot
