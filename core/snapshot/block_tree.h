// How the tree of hierarchy.h is made: scopes by names with the groups in them, then level by level
// what repeats, then parts of what is still too long.
#pragma once

#include "snapshot/hierarchy.h"

#include <memory>

namespace fw::snapshot {

struct TreeBlock;

struct TreeItem {            // of a level: a node, or a block
    std::uint32_t first = 0; // place of the node, or of the block's first one
    std::unique_ptr<TreeBlock> block;
};

struct TreeBlock {
    Block::Kind kind = Block::Kind::Scope;
    std::string path, title;
    std::vector<TreeItem> items;    // by their first nodes
    std::vector<std::uint32_t> all; // places of the nodes inside at any depth, ascending
    std::size_t operators = 0;      // of them, those that are no inputs
    std::size_t copies = 0;
    int group = -1;
    NodeId node = noNode; // that it is a body of
};

using PlaceOf = std::unordered_map<NodeId, std::uint32_t>;

TreeBlock blockTree(const GraphDocument& graph, const PlaceOf& placeOf);

// Blocks by the names of these nodes and the groups of the plan.
TreeBlock scopesOf(const GraphDocument& graph, const PlaceOf& placeOf,
                   const std::vector<std::uint32_t>& nodes);
// Of all nodes: those inside others in blocks of their own, each beside the node that it is of.
TreeBlock scopesAndBodies(const GraphDocument& graph, const PlaceOf& placeOf);

inline bool isInput(const NodeRecord& node) {
    return node.op == "input";
}

} // namespace fw::snapshot
