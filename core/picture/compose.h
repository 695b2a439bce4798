// From a diagram to sized nodes, level by level: the inside of every container is laid out on its
// own, inner ones first, then containers and boxes that lie in none together. A value that enters
// or leaves a container does so at a place of its own on the upper or lower side, so no path is
// lost at the frame.
#pragma once

#include "picture/layered.h"

namespace fw::picture {

class LayoutMemo;

struct BoxShape {
    double width = 0, height = 0;
};

struct Level {
    LayeredInput input; // nodes: containers, then boxes, then places on the frame
    std::vector<std::uint32_t> containers; // index of the container that node i is
    std::vector<std::uint32_t> boxes;      // index of the box that the node behind them is
    std::vector<std::vector<std::uint32_t>> edgeSources; // diagram edges of input.edges[i]
};

struct InnerLayout : Level { // its input is empty once it is laid out
    LayeredOutput output;
    Point origin;                 // of the inside, from the container's corner
    double width = 0, height = 0; // of the container
    std::uint32_t depth = 0;      // containers around it
};

struct Composition {
    std::vector<BoxShape> boxes;
    std::vector<InnerLayout> inners; // per container
    Level outer;
    std::vector<std::uint32_t> outerFirst; // containers, outer ones before those inside them
};

inline constexpr double titleSize = 12, labelSize = 11, chipSize = 9;
inline constexpr double headerHeight = 26, boxPadding = 10;
inline constexpr double openerSize = 16; // the + of a box that has graphs inside
inline constexpr double stackStep = 4;   // between the edges of the copies in a stack

// `memo` has what was laid out before; null: nothing.
Result<Composition> compose(const Diagram& diagram, LayoutMemo* memo, const CancelToken& cancel);

// The draw list from the laid out outer level. What the paths are made of moves into it.
void paint(const Diagram& diagram, Composition&& composition, LayeredOutput&& outer,
           Picture& picture);

} // namespace fw::picture
