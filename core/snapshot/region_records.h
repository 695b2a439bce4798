// Records of stage "partitioned": what one library, or code of ours, computes in a row.
#pragma once

#include "snapshot/book_records.h"
#include "snapshot/record.h"

#include <string>
#include <vector>

namespace fw::snapshot {

// clang-format off

// A tensor that passes the border of a region.
FW_RECORD(BorderRecord,
    (std::string, name),
    (std::string, type),
    (NodeId, node, noNode), // that makes it
    (double, bytes)         // free dimensions count as 1
)

// A group of a region: `postOps` is what a library's call does behind its own computation.
FW_RECORD(RegionCall,
    (int, group, -1),
    (std::string, name),
    (std::string, by), // the implementation, "view" or "opaque"
    (std::vector<std::string>, postOps)
)

// One implementation of a group by its anchor.
FW_RECORD(AnchorUse,
    (NodeId, anchor, noNode),
    (std::string, implementation)
)

// An owner that could compute the region, and how: groups that it has nothing for are not listed.
FW_RECORD(RegionChoice,
    (std::string, owner), // as in RegionRecord
    (std::vector<AnchorUse>, uses)
)

FW_RECORD(RegionRecord,
    (int, id, -1),
    (std::string, name),
    (std::string, owner),                // a library; empty: code of ours
    (std::vector<RegionCall>, calls),
    (std::vector<BorderRecord>, inputs),
    (std::vector<BorderRecord>, outputs),
    (std::vector<RegionChoice>, choices) // other owners
)

// clang-format on

} // namespace fw::snapshot
