// A GraphDocument as a Diagram: which boxes, containers and edges stand for it, and what they say.
// Constants are folded into their consumers; results get a box of their own with an id below -1.
// A closed block is one box with the block's id, and what crosses between the same two boxes is one
// edge with a count; an open one is a container, whose id is the block's, or the group's of a
// group.
#pragma once

#include "picture/diagram.h"
#include "snapshot/hierarchy.h"
#include "snapshot/joint.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fw::picture {

struct DiagramOptions {
    // Group id -> text at the right of its header ("0.21 ms"); others show their estimate, if any.
    std::map<int, std::string> groupTexts = {};
    // The line that an attribute has in the box of its operator; none: boxes have no attributes.
    std::function<std::string(const std::string& name, const std::string& value)> attributeLine =
        {};
    // Of this graph, and which of its blocks are open. None: groups are, and there are no others.
    std::shared_ptr<const snapshot::Hierarchy> blocks = {};
    snapshot::BlockView view = {};
};

// Of the first result; those behind it count down.
inline constexpr std::int64_t firstResultBox = -2;

Diagram diagramOf(const snapshot::GraphDocument& graph, const DiagramOptions& options = {});

// One of the states of a joint graph as it stands in a picture of all. Ids are those of the state;
// what it has not has a box, or a container, with an id of absentBox or below. All states have
// equal boxes at equal places: boxes and headers are wide enough for what the others say.
inline constexpr std::int64_t absentBox = -1'000'000'000;
Diagram diagramOf(const snapshot::JointGraph& joint, std::size_t state,
                  const DiagramOptions& options = {});
// Id of the box of a node by its place.
std::int64_t boxOf(const snapshot::JointGraph& joint, std::size_t state, std::size_t node);
// Ids of the containers, in the order of the joint graph's groups: the first part of a group has
// its id, further ones have absent ones.
std::vector<std::int64_t> containersOf(const snapshot::JointGraph& joint, std::size_t state);

// "f32[1,64,56,56]" -> "1×64×56×56"; other element types are named: "i64 3", "bool 1×N".
std::string shapeLabel(const std::string& type);

} // namespace fw::picture
