// Picture: a laid out diagram as a draw list. Lengths are pixels at scale 1, y grows downward, the
// origin is the top left corner. Items are in painting order; each names what it belongs to, for
// hit tests.
//
// draw() chooses Graphviz for small diagrams and the built-in layered layout otherwise, and says
// why in `decisions`. The same diagram and options give the same picture, unless Graphviz runs into
// its limit.
#pragma once

#include "base/cancel.h"
#include "base/decision.h"
#include "base/result.h"
#include "picture/diagram.h"
#include "picture/palette.h"
#include "picture/text.h"

#include <chrono>
#include <variant>

namespace fw::picture {

struct Point {
    double x = 0, y = 0;
    bool operator==(const Point&) const = default;
};

struct Rect {
    double x = 0, y = 0, width = 0, height = 0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
    Point center() const { return {x + width / 2, y + height / 2}; }
    bool contains(Point p) const {
        return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom();
    }
    bool contains(const Rect& o) const {
        return o.x >= x && o.y >= y && o.right() <= right() && o.bottom() <= bottom();
    }
    bool overlaps(const Rect& o) const {
        return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom();
    }
    bool operator==(const Rect&) const = default;
};

enum class OwnerKind : std::uint8_t { None, Box, Container, Edge };

// The box's or container's id; for an edge the index in Diagram::edges.
struct Owner {
    OwnerKind kind = OwnerKind::None;
    std::int64_t id = 0;
    bool operator==(const Owner&) const = default;
};

enum class Dash : std::uint8_t { Solid, Dashed, Dotted };
enum class Arrow : std::uint8_t { None, End };
// What a text is, so that a small scale can leave the less important away first.
enum class TextRole : std::uint8_t {
    Title,
    Subtitle,
    Detail,
    Header,
    HeaderRight,
    EdgeLabel,
    Chip
};

struct RectItem {
    Owner owner;
    Rect rect;
    double radius = 0;
    Colour fill = Colour::BoxFill;
    Colour line = Colour::BoxLine;
    double lineWidth = 1;
    Dash dash = Dash::Solid;
    bool operator==(const RectItem&) const = default;
};

struct TextItem {
    Owner owner;
    Point position; // left end of the baseline
    double width = 0;
    double size = 12;
    Weight weight = Weight::Regular;
    Colour colour = Colour::Text;
    TextRole role = TextRole::Title;
    std::string text; // already shortened, printable
    bool operator==(const TextItem&) const = default;
};

// Cubic Bezier pieces: points[0], then three points for each piece.
inline bool runsDown(const Point* piece) { // straight, and may be long
    return piece[0].x == piece[1].x && piece[0].x == piece[2].x && piece[0].x == piece[3].x;
}

struct PathItem {
    Owner owner; // the first of `edges`
    std::vector<Point> points;
    Colour colour = Colour::Edge;
    double width = 1.4;
    Dash dash = Dash::Solid;
    Arrow arrow = Arrow::End;
    std::vector<std::uint32_t> edges; // all that run here
    bool operator==(const PathItem&) const = default;
};

using Item = std::variant<RectItem, TextItem, PathItem>;

struct PlacedBox {
    std::int64_t id = 0;
    std::int64_t container = -1;
    Rect rect;
    std::string label; // title and subtitle, for accessibility
    bool operator==(const PlacedBox&) const = default;
};

struct PlacedContainer {
    std::int64_t id = 0;
    Rect rect;
    double headerHeight = 0;
    Implementation implementation = Implementation::None;
    bool operator==(const PlacedContainer&) const = default;
};

struct Link { // an edge between boxes of the diagram, as ids
    std::int64_t from = 0, to = 0;
    bool operator==(const Link&) const = default;
};

enum class LayoutEngine : std::uint8_t { Dot, Layered };

struct Picture {
    std::string name;
    double width = 0, height = 0;
    std::vector<Item> items;
    std::vector<PlacedBox> boxes;            // in the diagram's order
    std::vector<PlacedContainer> containers; // in the diagram's order
    std::vector<Link> links;                 // in the diagram's order of edges
    LayoutEngine engine = LayoutEngine::Layered;
    Decisions decisions; // which engine drew it and why
};

enum class EngineChoice : std::uint8_t { Auto, Dot, Layered };

struct DrawOptions {
    EngineChoice engine = EngineChoice::Auto;
    std::string dotProgram = "dot"; // searched in PATH
    std::chrono::milliseconds dotLimit{2000};
    std::size_t dotMaxBoxes = 300; // Auto: larger diagrams go to the layered layout at once
};

// Fails on edges or boxes that name what is not there, doubled ids, and when cancelled.
Result<Picture> draw(const Diagram& diagram, const DrawOptions& options = {},
                     const CancelToken& cancel = {});

// The draw list as text, one item per line, for tests and golden files.
std::string dump(const Picture& picture);

} // namespace fw::picture
