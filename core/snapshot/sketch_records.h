// Text made of a part of a graph, with what it asks for.
#pragma once

#include "snapshot/book_records.h"
#include "snapshot/record.h"

namespace fw::snapshot {

// clang-format off

FW_WORDS(SketchedAs, "pattern", "rule", "op", "fuse", "test")
// How much of a fact a text asks for.
FW_WORDS(FactLevel, "exact", "range", "captured", "any")

// Something that the text may or may not ask for.
FW_RECORD(SketchFactRecord,
    (std::string, key),                 // by which it is set: "conv2d.strides"
    (NodeId, node, -1),                 // whose fact it is, in the graph of the stage
    (std::string, what),                // "strides of conv2d"
    (std::string, value),               // as the part has it
    (std::vector<FactLevel>, levels), // that it can have
    (FactLevel, level)
)

// What to ask for less, so that the text matches at more places.
FW_RECORD(SketchAdvice,
    (ByName<std::string>, levels), // by key
    (std::int64_t, matches)        // then
)

FW_RECORD(SketchDocument,
    (std::string, model),
    (MatchedStage, stage),                  // the graph in which it was selected and counted
    (SketchedAs, kind),
    (bool, edit),                           // a rule that changes one operator
    (std::string, name),
    (std::string, text),
    (std::vector<NodeId>, nodes),           // the operators it is made of
    (std::vector<SketchFactRecord>, facts),
    (std::optional<std::int64_t>, matches), // how many places it matches; absent: it matches nothing
    (std::vector<SketchAdvice>, advice),    // the most places first
    (std::vector<std::string>, notices),
    (Diags, diagnostics)                    // what is wrong with the text among the books
)

// clang-format on

} // namespace fw::snapshot
