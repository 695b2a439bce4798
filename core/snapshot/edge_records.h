// What runs between the nodes of a graph, and the graphs inside nodes. Included by records.h.
#pragma once

#include "snapshot/book_records.h"
#include "snapshot/record.h"

#include <string>
#include <vector>

namespace fw::snapshot {

// clang-format off
FW_RECORD(InputRef,
    (NodeId, node, noNode), // who makes the value
    (int, output),          // which of its outputs
    (std::string, name)     // name of the value
)

// What an edge carries that is no mere data: sizes that are computed; a value that goes round other
// operators and is added to what they make of it; a value that passes the border of a body.
FW_WORDS(EdgeClass, "", "shape", "residual", "body")
FW_RECORD(EdgeRecord,
    (NodeId, node, noNode), // that reads the value
    (int, operand),         // as which of its `inputs`
    (EdgeClass, carries)
)

// A graph inside a node, whose nodes stand among those of the graph around it.
FW_RECORD(InsideRecord,
    (std::string, path),              // as of BodyRecord
    (std::string, name),
    (NodeId, node, noNode),           // that it lies in
    (std::vector<NodeId>, nodes),     // of `GraphDocument::nodes`; what it takes from outside is read there
    (std::vector<InputRef>, results), // that the node makes its own of
    (std::vector<int>, reads),        // the inputs of the node that are the body's
    (std::string, leftOut)            // why its nodes are not there; empty: they are
)
// clang-format on

} // namespace fw::snapshot
