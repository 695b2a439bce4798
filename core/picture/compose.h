// From a diagram to sized nodes on two levels: the inside of every container is laid out on its
// own, then containers and free boxes together. A value that enters or leaves a container does so
// at a place of its own on the upper or lower side, so no path is lost at the frame.
#pragma once

#include "picture/layered.h"

namespace fw::picture {

struct BoxShape {
    double width = 0, height = 0;
};

struct InnerLayout {
    LayeredInput input; // empty once it is laid out
    LayeredOutput output;
    std::vector<std::uint32_t> members;                  // box index of node i, for the first nodes
    std::vector<std::vector<std::uint32_t>> edgeSources; // diagram edges of input.edges[i]
    Point origin;                 // of the inside, from the container's corner
    double width = 0, height = 0; // of the container
};

struct Composition {
    std::vector<BoxShape> boxes;
    std::vector<InnerLayout> inners;                     // per container
    LayeredInput outer;                                  // containers first, then free boxes
    std::vector<std::uint32_t> free;                     // box index of outer node (containers + i)
    std::vector<std::vector<std::uint32_t>> edgeSources; // diagram edges of outer.edges[i]
};

inline constexpr double titleSize = 12, labelSize = 11, chipSize = 9;
inline constexpr double headerHeight = 26, boxPadding = 10;

Result<Composition> compose(const Diagram& diagram, const CancelToken& cancel);

// The draw list from the laid out outer level. What the paths are made of moves into it.
void paint(const Diagram& diagram, Composition&& composition, LayeredOutput&& outer,
           Picture& picture);

} // namespace fw::picture
