// The built-in layered layout (Sugiyama's scheme), used for the inside of containers, for large
// diagrams and where Graphviz is missing: longest-path layers, median sweeps that keep the best
// order, x positions by repeated isotonic regression (exact separation, no overlap by
// construction), edges as S curves that bend only in the free space between two layers and so never
// cross a box.
//
// No clocks inside: work limits are counts, so equal input gives equal output.
#pragma once

#include "base/cancel.h"
#include "picture/picture.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace fw::picture {

enum class Pin : std::uint8_t {
    Free,
    First,
    Last
}; // First: above all others; Last: below all others

struct LayeredNode {
    double width = 0, height = 0;
    Pin pin = Pin::Free;
    bool operator==(const LayeredNode&) const = default;
};

struct LayeredEdge {
    std::uint32_t from = 0, to = 0;
    std::uint32_t value = 0;          // edges with equal `from` and `value` share their path
    std::optional<double> fromOffset; // where it leaves, from the node's centre; chosen when absent
    std::optional<double> toOffset;
    double weight = 1; // how much it wants to be straight
    bool operator==(const LayeredEdge&) const = default;
};

struct LayeredInput {
    std::vector<LayeredNode> nodes;
    std::vector<LayeredEdge> edges;
    double nodeGap = 28;
    double layerGap = 30;
    double pinnedGap = 12; // after the first and before the last pinned layer
    // Edges over more layers than this, and those of a value with more readers but the one to the
    // nearest, are cut: they shape the layers and have no path. 0: none.
    std::int32_t longest = 0;
    std::uint32_t mostReaders = 0;
    bool operator==(const LayeredInput&) const = default;
};

struct Leg {                   // a drawn part of one or more edges
    std::vector<Point> points; // cubic Bezier pieces as in PathItem
    std::vector<std::uint32_t> edges;
    Arrow arrow = Arrow::End;
};

struct Cut { // where an edge without a path would leave and arrive
    std::uint32_t edge = 0;
    Point leaves, arrives;
};

struct LayeredOutput {
    std::vector<Point> centers; // of the nodes
    std::vector<Leg> legs;
    std::vector<Cut> cuts; // in the order of their edges
    double width = 0, height = 0;
};

Result<LayeredOutput> layered(const LayeredInput& input, const CancelToken& cancel);

} // namespace fw::picture
