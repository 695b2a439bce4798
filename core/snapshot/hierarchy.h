// A tree of blocks over the nodes of a graph, so that a large one is read from its top level down.
//
// Blocks come from the names of nodes ("/layers.0/attn/MatMul" lies in layers, 0, attn), from the
// groups of the plan, and from what comes again right behind itself: siblings that are equal
// (operators, attributes, types and edges inside; neither names nor contents of constants) lie in
// one stack, each of them a block. A level that is still too long is cut into parts where few
// values cross. Constants lie in no block, inputs in the outermost one. A graph inside a node is a
// block beside that node, with blocks of its own.
//
// Equal graphs have equal trees. A block keeps its path, and with it its id, from plan to plan as
// far as the nodes it is named by do. Takes n log n of the nodes.
#pragma once

#include "snapshot/records.h"

#include <set>
#include <unordered_map>

namespace fw::snapshot {

struct Block {
    enum class Kind : std::uint8_t {
        Whole, // the outermost one, always the first
        Scope, // of names
        Stack, // its children are equal copies
        Copy,  // in a stack, where no scope is one
        Part,  // of a level with too many members
        Group, // of the plan
        Body,  // of a node, beside it: closed it is not there, and the node stands for it
    };
    Kind kind = Kind::Scope;
    std::string path;    // names it, unlike all others: "encoder/layers/3"; empty: the whole
    std::string title;   // for people: "layers", "conv2d, bias, relu"
    std::int64_t id = 0; // below mostBlockId, by its path
    std::uint32_t parent = 0;
    std::vector<std::uint32_t> blocks; // directly inside, in the order of their first nodes
    std::vector<std::uint32_t> nodes;  // likewise: places in GraphDocument::nodes
    std::size_t operators = 0;         // inside, at any depth
    std::size_t copies = 0;            // of a stack: how many, be they in parts or not
    int group = -1;                    // id, of a group
    std::int64_t box = 0;              // that stands for it while it is closed: its id, or a node's
    // Whatever the rest of the blocks is: a body, and what lies in one that is too large to be
    // shown whole.
    bool closedAtFirst = false;

    bool operator==(const Block&) const = default;
};

inline constexpr std::int64_t mostBlockId = -2'000'000'000;
inline bool isBlock(std::int64_t id) {
    return id <= mostBlockId;
}

struct Hierarchy {
    static constexpr std::uint32_t none = UINT32_MAX;

    std::vector<Block> blocks;                         // outer ones before those inside them
    std::vector<std::uint32_t> blockOf;                // by place of the node; none: a constant
    std::unordered_map<NodeId, std::uint32_t> placeOf; // of the node with that id
    std::unordered_map<std::int64_t, std::uint32_t> numberOf; // of the block with that id
    // Per operand, node after node: the place of the node that makes it; none: there is none. And
    // where the operands of each node begin, with the end.
    std::vector<std::uint32_t> makers, firstMaker;
    std::size_t drawn = 0; // nodes that are no constants

    const Block* find(std::int64_t id) const;                      // null: there is none
    std::vector<std::uint32_t> bodiesOf(NodeId node) const;        // blocks; empty: it has none
    std::vector<std::uint32_t> nodesIn(std::uint32_t block) const; // at any depth, ascending
    bool isInside(std::uint32_t block, std::uint32_t outer) const; // or the same
};

// At most so many blocks and nodes lie directly in one block; inputs are not counted.
inline constexpr std::size_t mostInBlock = 400;

Hierarchy hierarchyOf(const GraphDocument& graph);

// Which blocks are open.
struct BlockView {
    // Whether blocks other than groups are there at all; where not, their nodes lie outside.
    enum class Shown : std::uint8_t { Groups, All };
    enum class Rest : std::uint8_t { Open, Closed };

    Shown shown = Shown::Groups;
    Rest rest = Rest::Open;       // of those that are not named
    std::set<std::string> others; // paths of blocks that are not as the rest is

    bool isShown(const Block& block) const {
        return block.kind != Block::Kind::Whole &&
               (shown == Shown::All || block.kind == Block::Kind::Group || block.closedAtFirst);
    }
    Rest restOf(const Block& block) const { return block.closedAtFirst ? Rest::Closed : rest; }
    // What is not shown counts as open.
    bool isOpen(const Block& block) const {
        return !isShown(block) || (restOf(block) == Rest::Open) != others.contains(block.path);
    }
    void set(const Block& block, Rest state);
    bool operator==(const BlockView&) const = default;
};

// All blocks, open where fewer than `depth` are around them.
BlockView openTo(const Hierarchy& hierarchy, std::uint32_t depth);

// Per block: the outermost closed one that it lies in or is; none: it is open and so is all around.
std::vector<std::uint32_t> closedAround(const Hierarchy& hierarchy, const BlockView& view);

} // namespace fw::snapshot
