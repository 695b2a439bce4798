// Text made of a part of a graph, with what it asks for.
#pragma once

#include "snapshot/book_records.h"

namespace fw::snapshot {

// Something that the text may or may not ask for.
struct SketchFactRecord {
    std::string key;                 // by which it is set: "conv2d.strides"
    NodeId node = -1;                // whose fact it is, in the graph of the stage
    std::string what;                // "strides of conv2d"
    std::string value;               // as the part has it
    std::vector<std::string> levels; // "exact", "range", "captured", "any": that it can have
    std::string level;

    bool operator==(const SketchFactRecord&) const = default;
};

// What to ask for less, so that the text matches at more places.
struct SketchAdvice {
    std::map<std::string, std::string> levels; // by key
    std::int64_t matches = 0;                  // then

    bool operator==(const SketchAdvice&) const = default;
};

struct SketchDocument {
    std::string model;
    std::string stage; // "imported" or "rewritten": the graph in which it was selected and counted
    std::string kind;  // "pattern", "rule", "op", "fuse", "test"
    std::string name;
    std::string text;
    std::vector<NodeId> nodes; // the operators it is made of
    std::vector<SketchFactRecord> facts;
    std::optional<std::int64_t> matches; // how many places it matches; absent: it matches nothing
    std::vector<SketchAdvice> advice;    // the most places first
    std::vector<std::string> notices;
    Diags diagnostics; // what is wrong with the text among the books

    bool operator==(const SketchDocument&) const = default;
};

} // namespace fw::snapshot
