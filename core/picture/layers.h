// The stages of layered.h and the structure they hand on.
#pragma once

#include "picture/layered.h"

#include <span>

namespace fw::picture {

// A node of the input or a dummy: the place where a long edge passes a layer.
struct Slot {
    std::int32_t node = -1; // -1: dummy
    std::int32_t layer = 0;
    double width = 0, height = 0;
    double x = 0; // centre
};

struct Segment { // between slots of neighbouring layers
    std::int32_t slot = 0;
    double weight = 1;
    double offset = 0;      // where it touches this slot, from its centre
    double otherOffset = 0; // where it touches the other one
};

// One path from a node: trunk[k] is the slot in layer (from's layer + k); trunk[0] is the node
// itself.
struct Net {
    std::vector<std::int32_t> trunk;
    std::vector<std::uint32_t> edges;
};

// The segments at one side of every slot, in one array.
class Segments {
public:
    struct Made {
        std::int32_t slot = 0; // to which the segment belongs
        Segment segment;
    };
    Segments() = default;
    Segments(std::size_t slots, const std::vector<Made>& made); // those of a slot in this order

    std::span<const Segment> operator[](std::size_t slot) const {
        return std::span(m_segments).subspan(m_first[slot], m_first[slot + 1] - m_first[slot]);
    }

private:
    std::vector<Segment> m_segments;
    std::vector<std::uint32_t> m_first{0, 0}; // by slot; and the end
};

struct Layers {
    std::vector<Slot> slots;
    Segments up, down;
    std::vector<std::vector<std::int32_t>> order; // per layer, left to right
    std::vector<Net> nets;
    std::vector<std::uint32_t> far; // edges too long for dummies: they go around on the right
    std::vector<std::uint32_t> cut; // edges without a path
    std::vector<char> reversed;     // per edge: it closed a cycle and is laid out upside down
};

// Per edge: it goes to the next layer and does not come from a mere source (a constant, an input)
// of a node that has other producers too. Such edges make the main path and are drawn straight.
std::vector<char> mainEdges(const LayeredInput& input, const Layers& layers);
// Per edge: it lies on the one longest way from the top down, which is drawn straight whatever it
// costs the others; of several as long the heaviest.
std::vector<char> longestWay(const LayeredInput& input, const Layers& layers);
Layers assignLayers(const LayeredInput& input);
void orderLayers(Layers& layers, const CancelToken& cancel);
void placeLayers(Layers& layers, double nodeGap, const CancelToken& cancel);
LayeredOutput routeLayers(const LayeredInput& input, const Layers& layers);

} // namespace fw::picture
