// One of the states of a joint graph as it stands in a picture of all. Ids are those of the state;
// what it has not has a box, or a container, with an id of absentBox or below. All states have
// equal boxes at equal places: boxes and headers are wide enough for what the others say.
#pragma once

#include "picture/graph_diagram.h"
#include "snapshot/joint.h"

#include <cstdint>
#include <vector>

namespace fw::picture {

inline constexpr std::int64_t absentBox = -1'000'000'000;
Diagram diagramOf(const snapshot::JointGraph& joint, std::size_t state,
                  const DiagramOptions& options = {});
// Id of the box of a node by its place.
std::int64_t boxOf(const snapshot::JointGraph& joint, std::size_t state, std::size_t node);
// Ids of the containers, in the order of the joint graph's groups: the first part of a group has
// its id, further ones have absent ones.
std::vector<std::int64_t> containersOf(const snapshot::JointGraph& joint, std::size_t state);

} // namespace fw::picture
