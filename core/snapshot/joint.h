// States of a model, or of several, as one graph: what lives on is one node, so that a layout of it
// gives all of them one place for everything that they have in common.
//
// States stand in an order, each is compared with the one before it. Where two come from one
// imported graph (GraphDocument::imported), a node lives on as one that stands for the same
// imported nodes with the same operator; of several those of one name, then those of one order.
// Otherwise it is one with the same name and operator, then one with the same operator behind the
// same operands.
#pragma once

#include "snapshot/records.h"

#include <map>
#include <span>

namespace fw::snapshot {

struct JointState {
    const GraphDocument* graph = nullptr;
    std::map<int, std::string> groupTexts = {}; // right in headers; others show their estimate
};

// Beside a node of JointGraph::graph: which nodes of the states it stands for. All lists are by
// state.
struct JointNode {
    enum class Mark : std::uint8_t {
        Absent, // in the state and in the one before
        Kept,
        Changed, // other operands, attributes or types
        Erased,  // the state before has it
        Created, // the state before has it not
    };
    std::vector<NodeId> ids; // noNode: the state has it not
    std::vector<Mark> marks; // against the state before; of the first Kept, or Absent
    std::vector<std::vector<std::size_t>> hidden; // places of operands that only others have
    // What states say of it that have another name, other types or attributes: theirs.
    std::map<std::size_t, NodeRecord> others;

    bool isIn(std::size_t state) const { return ids[state] != noNode; }
    bool isChanged() const; // in any state against the one before
    bool operator==(const JointNode&) const = default;
};

// What a state calls a group of the joint graph.
struct JointLabel {
    int group = -1; // none: the state has not got it
    std::string title, right;
    MakerRecord maker;

    bool operator==(const JointLabel&) const = default;
};

struct JointGraph {
    std::size_t states = 0;
    // Ids are places in `nodes`; what is said of a node is said by the last state that has it. An
    // operator that reads another value has the operands of all. Its groups hold what lies in one
    // group in every state that has groups: of a group that another state parts there are several.
    GraphDocument graph;
    std::vector<JointNode> nodes;
    std::vector<std::vector<JointLabel>> labels; // beside graph.groups, by state
    std::vector<std::vector<bool>> results;      // beside graph.results, by state: has it

    bool operator==(const JointGraph&) const = default;
};

// Right in the header of a group: "≈ 0.21 ms", or nothing.
std::string estimateText(const GroupLabel& group);

// Takes the time of all graphs together. At least one state.
JointGraph joined(std::span<const JointState> states);
JointGraph joined(std::span<const GraphDocument* const> states);

// What lies around `seeds` (places of nodes), the nearest first, up to `most` operators; operands
// and results of what is left out are gone. `places` becomes their places in the whole, in the
// order of the part.
JointGraph partOf(const JointGraph& whole, std::span<const std::size_t> seeds, std::size_t most,
                  std::vector<std::size_t>& places);

} // namespace fw::snapshot
