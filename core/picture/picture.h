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

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

// Leaving, Arriving: the ends of an edge that is not drawn between them.
enum class OwnerKind : std::uint8_t { None, Box, Container, Edge, Leaving, Arriving };

// The box's or container's id; for an edge, or an end of one, the index in Diagram::edges.
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

// Texts and lists of a picture, end to end: what was kept stays where it is for as long as the pool
// is there, also when that is moved.
template <class T>
class Pool {
public:
    std::span<const T> keep(std::span<const T> values) {
        constexpr std::size_t part = 4096;
        if (m_parts.empty() || m_parts.back().capacity() - m_parts.back().size() < values.size())
            m_parts.emplace_back().reserve(std::max(part, values.size()));
        std::vector<T>& to = m_parts.back();
        to.insert(to.end(), values.begin(), values.end());
        return std::span(to).last(values.size());
    }

    Pool() = default;
    Pool(Pool&&) = default;
    Pool& operator=(Pool&&) = default;

private:
    std::vector<std::vector<T>> m_parts;
};

struct RectItem {
    Owner owner;
    Rect rect;
    float radius = 0;
    float lineWidth = 1;
    Colour fill = Colour::BoxFill;
    Colour line = Colour::BoxLine;
    Dash dash = Dash::Solid;
    bool operator==(const RectItem&) const = default;
};

struct TextItem {
    Owner owner;
    Point position; // left end of the baseline
    double width = 0;
    float size = 12;
    Weight weight = Weight::Regular;
    Colour colour = Colour::Text;
    TextRole role = TextRole::Title;
    std::string_view text; // already shortened, printable; of Picture::texts
    bool operator==(const TextItem&) const = default;
};

struct EdgeLook {
    Dash dash = Dash::Solid;
    Colour colour = Colour::Edge;
    double wider = 0;
};
EdgeLook lookOf(EdgeKind kind);

// Cubic Bezier pieces: points[0], then three points for each piece.
inline bool runsDown(const Point* piece) { // straight, and may be long
    return piece[0].x == piece[1].x && piece[0].x == piece[2].x && piece[0].x == piece[3].x;
}

struct PathItem {
    Owner owner;                   // the first of `edges`
    std::span<const Point> points; // of Picture::points
    double width = 1.4;
    Colour colour = Colour::Edge;
    Dash dash = Dash::Solid;
    Arrow arrow = Arrow::End;
    std::span<const std::uint32_t> edges; // all that run here; of Picture::edges
};

using Item = std::variant<RectItem, TextItem, PathItem>;

struct PlacedBox {
    std::int64_t id = 0;
    std::int64_t container = -1;
    Rect rect;
    std::string_view label; // title and subtitle, for accessibility; of Picture::texts
    std::string_view title; // the beginning of it
    Rect opener = {};       // its + or −; empty: it has none
    bool operator==(const PlacedBox&) const = default;
};

struct PlacedContainer {
    std::int64_t id = 0;
    Rect rect;
    double headerHeight = 0;
    MakerRecord maker;
    std::int64_t parent = -1; // the container that it lies in
    ContainerKind kind = ContainerKind::Group;
    std::string_view label; // of Picture::texts
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
    Decisions decisions;          // which engine drew it and why
    std::set<EdgeKind> edgeKinds; // that are drawn; empty: there is data only
    Pool<char> texts;
    Pool<Point> points;
    Pool<std::uint32_t> edges;
};

enum class EngineChoice : std::uint8_t { Auto, Dot, Layered };

class LayoutMemo;

struct DrawOptions {
    EngineChoice engine = EngineChoice::Auto;
    std::string dotProgram = "dot"; // searched in PATH
    std::chrono::milliseconds dotLimit{2000};
    // Auto: larger diagrams, and those with blocks, go to the layered layout at once.
    std::size_t dotMaxBoxes = 300;
    // Insides of containers that were laid out before; null: none. Used by one thread at a time.
    std::shared_ptr<LayoutMemo> memo = {};
};

// Fails on edges or boxes that name what is not there, doubled ids, and when cancelled.
Result<Picture> draw(const Diagram& diagram, const DrawOptions& options = {},
                     const CancelToken& cancel = {});

// The draw list as text, one item per line, for tests and golden files.
std::string dump(const Picture& picture);

} // namespace fw::picture
