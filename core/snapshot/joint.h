// Two states of one model as one graph: what lives on is one node, so that a layout of it gives
// both states one place for everything that they have in common.
#pragma once

#include "snapshot/records.h"

namespace fw::snapshot {

// Beside a node of JointGraph::graph: which nodes of the states it stands for.
struct JointNode {
    enum class Mark : std::uint8_t {
        Kept,
        Changed, // other operands, attributes or types
        Erased,  // of the left state only
        Created, // of the right one only
    };
    NodeId left = noNode, right = noNode;
    Mark mark = Mark::Kept;
    // Places of operands that only one of the states has.
    std::vector<std::size_t> leftOnly, rightOnly;

    bool operator==(const JointNode&) const = default;
};

struct JointGraph {
    // Ids are places in `nodes`; groups, and what is said of a node that both have, are the right
    // state's. An operator that reads another value has the operands of both.
    GraphDocument graph;
    std::vector<JointNode> nodes;
    struct Result {
        bool left = false, right = false; // has it
        bool operator==(const Result&) const = default;
    };
    std::vector<Result> results; // beside graph.results

    bool operator==(const JointGraph&) const = default;
};

// A node lives on as one that stands for the same imported nodes with the same operator; of several
// those of one name, then those of one order. Takes the time of both graphs.
JointGraph joined(const GraphDocument& left, const GraphDocument& right);

} // namespace fw::snapshot
