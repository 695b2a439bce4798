// Records of stage "partitioned": what one library, or code of ours, computes in a row.
#pragma once

#include "snapshot/book_records.h"

#include <string>
#include <vector>

namespace fw::snapshot {

// A tensor that passes the border of a region.
struct BorderRecord {
    std::string name;
    std::string type;
    NodeId node = noNode; // that makes it
    double bytes = 0;     // free dimensions count as 1

    bool operator==(const BorderRecord&) const = default;
};

// A group of a region: `postOps` is what a library's call does behind its own computation.
struct RegionCall {
    int group = -1;
    std::string name;
    std::string by; // the implementation, "view" or "opaque"
    std::vector<std::string> postOps;

    bool operator==(const RegionCall&) const = default;
};

// One implementation of a group by its anchor.
struct AnchorUse {
    NodeId anchor = noNode;
    std::string implementation;

    bool operator==(const AnchorUse&) const = default;
};

// An owner that could compute the region, and how: groups that it has nothing for are not listed.
struct RegionChoice {
    std::string owner; // as in RegionRecord
    std::vector<AnchorUse> uses;

    bool operator==(const RegionChoice&) const = default;
};

struct RegionRecord {
    int id = -1;
    std::string name;
    std::string owner; // a library; empty: code of ours
    std::vector<RegionCall> calls;
    std::vector<BorderRecord> inputs, outputs;
    std::vector<RegionChoice> choices; // other owners

    bool operator==(const RegionRecord&) const = default;
};

} // namespace fw::snapshot
