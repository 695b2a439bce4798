// A GraphDocument as a Diagram: which boxes, containers and edges stand for it, and what they say.
// Constants are folded into their consumers; results get a box of their own with an id below -1.
// A closed block is one box with the block's id, and what crosses between the same two boxes is one
// edge with a count; an open one is a container, whose id is the block's, or the group's of a
// group. A node with graphs inside stands beside the frames of those that are open, which read what
// the graph around makes and give the node what it makes its own.
#pragma once

#include "picture/diagram.h"
#include "snapshot/hierarchy.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fw::picture {

// What boxes and edges say besides the operator.
struct BoxFacts {
    bool names = true;       // of operators
    bool attributes = false; // each a line
    bool weights = false;    // the shapes of constants that an operator reads
    bool bytes = false;      // edges are as wide as what they carry is large
    bool classes = false;    // edges look like what they carry: data, sizes, what goes round
    bool reorders = true;    // what brings tensors into other orders has boxes

    bool operator==(const BoxFacts&) const = default;
};

struct DiagramOptions {
    // Group id -> text at the right of its header ("0.21 ms"); others show their estimate, if any.
    std::map<int, std::string> groupTexts = {};
    // The line that an attribute has in the box of its operator; none: boxes have no attributes.
    std::function<std::string(const std::string& name, const std::string& value)> attributeLine =
        {};
    // Of this graph, and which of its blocks are open. None: groups are, and there are no others.
    std::shared_ptr<const snapshot::Hierarchy> blocks = {};
    snapshot::BlockView view = {};
    BoxFacts facts = {};
};

// Of the first result; those behind it count down.
inline constexpr std::int64_t firstResultBox = -2;

Diagram diagramOf(const snapshot::GraphDocument& graph, const DiagramOptions& options = {});

// "f32[1,64,56,56]" -> "1×64×56×56"; other element types are named: "i64 3", "bool 1×N".
std::string shapeLabel(const std::string& type);

// What stands below the name of the operator in its box.
std::string subtitleOf(const snapshot::NodeRecord& node);
// Of a tensor of this type as it is written, "f32[1, 64, N]"; a free dimension counts as 1. 0: it
// has none that is known.
double bytesOfType(const std::string& type);

// What stands on a value of the node; empty: it has no such output.
std::string labelOf(const snapshot::NodeRecord& node, int output);

} // namespace fw::picture
