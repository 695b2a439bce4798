// What is to be drawn: boxes, containers around some of them, edges. Plain values without geometry;
// the snapshot (or `fw draw`, or a test) fills them, draw() in picture.h turns them into a Picture.
//
// Ids are the caller's. Box ids are unique among the boxes, container ids among the containers.
#pragma once

#include "picture/palette.h"
#include "snapshot/maker.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw::picture {

// Hidden: stands for boxes that are not shown. Reorder: brings a tensor into another order.
enum class BoxRole : std::uint8_t {
    Operator,
    Input,
    Output,
    Constant,
    Unknown,
    Block,
    Hidden,
    Reorder
};
// Shape: sizes that are computed. Residual: round other operators, to where both are added. Body:
// across the border of a graph inside a node.
enum class EdgeKind : std::uint8_t { Data, Shape, Residual, Body };
// Whether there is more inside a box that can be shown in the picture.
enum class Inside : std::uint8_t { None, Closed, Open };
using snapshot::Maker;
using snapshot::MakerRecord;

struct Box {
    std::int64_t id = 0;
    std::string title;              // the operator: first line, bold
    std::string subtitle;           // the node's name: second line
    std::vector<std::string> lines; // more, e.g. attributes
    MakerRecord maker;              // drawn as a two-letter chip
    std::int64_t container = -1;
    BoxRole role = BoxRole::Operator; // Block: a closed one, tinted by its maker
    std::size_t copies = 0;           // above 1: drawn as a stack
    // Subtitles that it has room for as well: the same box elsewhere says them.
    std::vector<std::string> alsoFits = {};
    Inside inside = Inside::None; // drawn as a + or a − at its corner

    bool operator==(const Box&) const = default;
};

enum class ContainerKind : std::uint8_t { Group, Block };

struct Container {
    std::int64_t id = 0;
    std::string title;        // left in the header
    std::string right;        // right in the header, e.g. "0.21 ms"
    MakerRecord maker;        // tints frame and fill
    std::int64_t parent = -1; // the container that it lies in
    ContainerKind kind = ContainerKind::Group;
    std::vector<std::pair<std::string, std::string>> alsoFits = {}; // as of a box: title, right

    bool operator==(const Container&) const = default;
};

struct Edge {
    std::int64_t from = 0;
    std::int32_t fromPort =
        0; // edges of one port of one box carry the same value and share their path
    std::int64_t to = 0;
    std::int32_t toPort = 0;
    std::string label; // e.g. "1×96×56×56"
    EdgeKind kind = EdgeKind::Data;
    std::size_t count = 1; // of the values that run here
    double bytes = 0;      // that make it wider; 0: nothing does

    bool operator==(const Edge&) const = default;
};

struct Diagram {
    std::string name;
    std::vector<Box> boxes;
    std::vector<Container> containers;
    std::vector<Edge> edges;
    bool hasBlocks = false; // that are opened and closed: laid out level by level

    bool operator==(const Diagram&) const = default;
};

// Two letters and a name for who computes something: "LL" and "generated", "DN" and "oneDNN", of a
// library of a book its own. Empty for nobody.
std::string chipText(const MakerRecord& maker);
std::string makerText(const MakerRecord& maker);

struct Tint {
    Colour line, fill;
};
Tint tintOf(const MakerRecord& maker);

} // namespace fw::picture
