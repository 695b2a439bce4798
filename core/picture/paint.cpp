// The draw list: containers, then edges, then boxes, then edge labels where there is room for them.
#include "picture/compose.h"
#include "picture/labels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace fw::picture {
namespace {

constexpr std::uint32_t noBox = UINT32_MAX;

// From 1 KB on 0.9 more for each ten times as much, up to 1 GB.
double widthOfBytes(double bytes) {
    return bytes > 0 ? std::clamp(std::log10(bytes) - 3, 0.0, 6.0) * 0.9 : 0;
}

class Painter {
public:
    Painter(const Diagram& diagram, Composition& composition, LayeredOutput& outer,
            Picture& picture)
        : m_diagram(diagram), m_composition(composition), m_outer(outer), m_picture(picture) {}

    void run();

private:
    Point centerOf(std::uint32_t container, std::uint32_t node) const;
    void placeContainers(const Level& level, std::uint32_t container);
    void paintContainer(std::uint32_t c);
    void paintBoxes(const Level& level, std::uint32_t container);
    void paintLegs(std::vector<Leg>& legs, const std::vector<std::vector<std::uint32_t>>& sources,
                   Point origin, double width);
    void paintStubs(const std::vector<Cut>& cuts,
                    const std::vector<std::vector<std::uint32_t>>& sources, Point origin);
    void paintBox(std::uint32_t index, Point corner);
    void paintOpener(const Box& box, const Rect& rect, PlacedBox& placed);
    EdgeKind kindOf(std::span<const std::uint32_t> edges) const;
    void text(Owner owner, Point position, std::string_view content, double room, double size,
              Weight weight, Colour colour, TextRole role, Elide mode);
    std::string_view kept(std::string_view text) { return keptText(m_picture, text); }
    std::size_t itemsAtMost() const;

    const Diagram& m_diagram;
    Composition& m_composition; // its legs go as they are painted
    LayeredOutput& m_outer;
    Picture& m_picture;
    std::vector<Stub> m_stubs; // to be named
};

void Painter::text(Owner owner, Point position, std::string_view content, double room, double size,
                   Weight weight, Colour colour, TextRole role, Elide mode) {
    const std::string shown = elide(content, room, size, weight, mode);
    if (!shown.empty())
        m_picture.items.emplace_back(TextItem{owner, position, textWidth(shown, size, weight),
                                              static_cast<float>(size), weight, colour, role,
                                              kept(shown)});
}

// Of the node of a level, in the picture.
Point Painter::centerOf(std::uint32_t container, std::uint32_t node) const {
    if (container == noBox)
        return {m_outer.centers[node].x + margin, m_outer.centers[node].y + margin};
    const InnerLayout& inner = m_composition.inners[container];
    const Rect& rect = m_picture.containers[container].rect;
    const Point center = inner.output.centers[node];
    return {rect.x + inner.origin.x + center.x, rect.y + inner.origin.y + center.y};
}

void Painter::placeContainers(const Level& level, std::uint32_t container) {
    for (std::uint32_t i = 0; i < level.containers.size(); ++i) {
        const std::uint32_t c = level.containers[i];
        const InnerLayout& inner = m_composition.inners[c];
        const Container& made = m_diagram.containers[c];
        const Point center = centerOf(container, i);
        const Rect rect{std::round(center.x - inner.width / 2),
                        std::round(center.y - inner.height / 2), inner.width, inner.height};
        m_picture.containers[c] = {made.id,
                                   rect,
                                   headerHeight,
                                   made.maker,
                                   made.parent,
                                   made.kind,
                                   kept(printable(made.title, 200))};
    }
}

void Painter::paintContainer(std::uint32_t c) {
    const Container& container = m_diagram.containers[c];
    const Rect rect = m_picture.containers[c].rect;
    Tint tint = tintOf(container.maker);
    if (container.kind == ContainerKind::Block) // each level stands out from the one around it
        tint = {Colour::BoxLine,
                m_composition.inners[c].depth % 2 == 0 ? Colour::PaneAlternate : Colour::Pane};
    const Colour ink = container.kind == ContainerKind::Block ? Colour::Text : tint.line;
    const Owner owner{OwnerKind::Container, container.id};
    m_picture.items.emplace_back(RectItem{owner, rect, 8, 1.5, tint.fill, tint.line, Dash::Solid});
    const std::string right = elide(container.right, 160, titleSize, Weight::Regular, Elide::Right);
    const double rightWidth = textWidth(right, titleSize, Weight::Regular);
    text(owner, {rect.x + 12, rect.y + 18}, container.title,
         rect.width - 24 - (rightWidth > 0 ? rightWidth + 16 : 0), titleSize, Weight::Bold, ink,
         TextRole::Header, Elide::Middle);
    text(owner, {rect.right() - 12 - rightWidth, rect.y + 18}, right, 160, titleSize,
         Weight::Regular, ink, TextRole::HeaderRight, Elide::Right);
}

void Painter::paintLegs(std::vector<Leg>& legs,
                        const std::vector<std::vector<std::uint32_t>>& sources, Point origin,
                        double width) {
    std::vector<std::uint32_t> edges;
    for (Leg& leg : legs) {
        PathItem item;
        item.arrow = leg.arrow;
        edges.clear();
        for (const std::uint32_t e : leg.edges)
            edges.insert(edges.end(), sources[e].begin(), sources[e].end());
        std::sort(edges.begin(), edges.end());
        item.edges = m_picture.edges.keep(edges);
        const Edge& first = m_diagram.edges[item.edges.front()];
        const EdgeKind kind = kindOf(item.edges);
        item.width =
            width + (first.bytes > 0
                         ? widthOfBytes(first.bytes)
                         : std::min(std::log2(static_cast<double>(first.count)), 6.0) * 0.5);
        item.owner = {OwnerKind::Edge, item.edges.front()};
        const EdgeLook look = lookOf(kind);
        item.dash = look.dash;
        item.colour = look.colour;
        item.width += look.wider;
        for (Point& p : leg.points)
            p = {p.x + origin.x, p.y + origin.y};
        item.points = m_picture.points.keep(leg.points);
        m_picture.items.emplace_back(item);
        leg = {};
    }
    std::vector<Leg>().swap(legs);
}

// The ends of edges that are cut: a short line with the name of what is at the other end.
void Painter::paintStubs(const std::vector<Cut>& cuts,
                         const std::vector<std::vector<std::uint32_t>>& sources, Point origin) {
    constexpr double length = 9;
    using Place = std::pair<double, double>;
    std::map<Place, std::vector<std::uint32_t>> leaving, arriving; // diagram edges
    for (const Cut& cut : cuts) {
        const auto add = [&](std::map<Place, std::vector<std::uint32_t>>& to, Point at) {
            auto& edges = to[{at.x + origin.x, at.y + origin.y}];
            edges.insert(edges.end(), sources[cut.edge].begin(), sources[cut.edge].end());
        };
        add(leaving, cut.leaves);
        add(arriving, cut.arrives);
    }
    std::unordered_map<std::int64_t, const Box*> boxes;
    if (!cuts.empty())
        for (const Box& box : m_diagram.boxes)
            boxes.emplace(box.id, &box);
    const auto named = [&](const std::vector<std::uint32_t>& edges, std::int64_t Edge::*end,
                           const char* many) {
        std::set<std::int64_t> ids;
        for (const std::uint32_t e : edges)
            ids.insert(m_diagram.edges[e].*end);
        if (ids.size() > 1)
            return std::to_string(ids.size()) + many;
        const Box& box = *boxes.at(*ids.begin());
        return box.subtitle.empty() || box.role == BoxRole::Block ? box.title : box.subtitle;
    };
    const auto paint = [&](OwnerKind kind, Place at, std::vector<std::uint32_t>& edges, double to,
                           std::string text) {
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        const Point near{at.first, at.second}, far{at.first, at.second + to};
        const Point from = to > 0 ? near : far, end = to > 0 ? far : near; // it runs down
        const Point points[] = {from,
                                {from.x, from.y + (end.y - from.y) / 3},
                                {from.x, from.y + (end.y - from.y) * 2 / 3},
                                end};
        PathItem item;
        item.owner = {kind, edges.front()};
        item.points = m_picture.points.keep(points);
        item.edges = m_picture.edges.keep(edges);
        item.width = 2.5;
        item.arrow = to > 0 ? Arrow::None : Arrow::End;
        m_picture.items.emplace_back(item);
        m_stubs.push_back({item.owner, far, std::move(text)});
    };
    for (auto& [at, edges] : leaving)
        paint(OwnerKind::Leaving, at, edges, length, "→ " + named(edges, &Edge::to, " readers"));
    for (auto& [at, edges] : arriving)
        paint(OwnerKind::Arriving, at, edges, -length, named(edges, &Edge::from, " values") + " →");
}

RectItem frameOf(const Box& box, const Rect& rect) {
    RectItem frame{{OwnerKind::Box, box.id}, rect,       5, 1, Colour::BoxFill,
                   Colour::BoxLine,          Dash::Solid};
    switch (box.role) {
    case BoxRole::Operator:
        break;
    case BoxRole::Input:
    case BoxRole::Output:
        frame.radius = static_cast<float>(std::min(14.0, rect.height / 2));
        break;
    case BoxRole::Constant:
        frame.fill = Colour::ConstantFill;
        break;
    case BoxRole::Block: {
        const bool tinted = box.maker.isSomebody();
        frame.fill = tinted ? tintOf(box.maker).fill : Colour::ConstantFill;
        frame.line = tinted ? tintOf(box.maker).line : Colour::BoxLine;
        frame.lineWidth = 1.5;
        frame.radius = 8;
        break;
    }
    case BoxRole::Unknown:
        frame.fill = Colour::FailingFill;
        frame.line = Colour::Failing;
        frame.dash = Dash::Dashed;
        break;
    case BoxRole::Reorder:
        frame.fill = Colour::ConstantFill;
        frame.radius = static_cast<float>(std::min(14.0, rect.height / 2));
        break;
    case BoxRole::Hidden:
        frame.fill = Colour::Canvas;
        frame.dash = Dash::Dashed;
        frame.radius = static_cast<float>(std::min(14.0, rect.height / 2));
        break;
    }
    return frame;
}

// What edges that share a path carry; of several kinds it is data.
EdgeKind Painter::kindOf(std::span<const std::uint32_t> edges) const {
    const EdgeKind first = m_diagram.edges[edges.front()].kind;
    return std::all_of(edges.begin(), edges.end(),
                       [&](std::uint32_t e) { return m_diagram.edges[e].kind == first; })
               ? first
               : EdgeKind::Data;
}

void Painter::paintOpener(const Box& box, const Rect& rect, PlacedBox& placed) {
    const Owner owner{OwnerKind::Box, box.id};
    placed.opener = {rect.right() - openerSize - 5, rect.y + 5, openerSize, openerSize};
    m_picture.items.emplace_back(
        RectItem{owner, placed.opener, 3, 1, Colour::BoxFill, Colour::Accent, Dash::Solid});
    const std::string_view sign = box.inside == Inside::Open ? "−" : "+";
    const double width = textWidth(sign, titleSize, Weight::Bold);
    text(owner, {placed.opener.center().x - width / 2, placed.opener.y + 12.5}, sign, openerSize,
         titleSize, Weight::Bold, Colour::Accent, TextRole::Chip, Elide::Right);
}

void Painter::paintBox(std::uint32_t index, Point corner) {
    const Box& box = m_diagram.boxes[index];
    const BoxShape shape = m_composition.boxes[index];
    const double behind = box.copies > 1 ? 2 * stackStep : 0; // what is seen of other copies
    const Rect rect{corner.x, corner.y, shape.width - behind, shape.height - behind};
    const Owner owner{OwnerKind::Box, box.id};
    PlacedBox& placed = m_picture.boxes[index];
    std::string label = printable(box.title, 200);
    const std::size_t title = label.size();
    if (!box.subtitle.empty())
        label += " " + printable(box.subtitle, 200);
    const std::string_view held = kept(label);
    placed = {box.id, box.container, rect, held, held.substr(0, title)};

    const RectItem frame = frameOf(box, rect);
    for (double step = behind; step > 0; step -= stackStep) {
        RectItem copy = frame;
        copy.rect.x += step;
        copy.rect.y += step;
        m_picture.items.emplace_back(copy);
    }
    m_picture.items.emplace_back(frame);
    const double room = rect.width - 2 * boxPadding;
    double titleRoom = room;
    if (box.maker.isSomebody()) {
        const Tint tint = tintOf(box.maker);
        const Rect chip{rect.right() - boxPadding - 22, rect.y + 7, 24, 13};
        m_picture.items.emplace_back(
            RectItem{owner, chip, 3, 1, tint.fill, tint.line, Dash::Solid});
        const double width = textWidth(chipText(box.maker), chipSize, Weight::Bold);
        text(owner, {chip.center().x - width / 2, chip.y + 10}, chipText(box.maker), 30, chipSize,
             Weight::Bold, tint.line, TextRole::Chip, Elide::Right);
        titleRoom -= 28;
    }
    if (box.inside != Inside::None) {
        paintOpener(box, rect, placed);
        titleRoom -= openerSize;
    }
    const double x = rect.x + boxPadding;
    const bool isMark = box.role == BoxRole::Hidden;
    text(owner, {x, rect.y + 17}, box.title, titleRoom, titleSize,
         isMark ? Weight::Regular : Weight::Bold,
         isMark                         ? Colour::Muted
         : box.role == BoxRole::Unknown ? Colour::Failing
                                        : Colour::Text,
         TextRole::Title, Elide::Right);
    double y = rect.y + 17;
    if (!box.subtitle.empty())
        text(owner, {x, y += 15}, box.subtitle, room, titleSize, Weight::Regular, Colour::Muted,
             TextRole::Subtitle, Elide::Middle);
    for (const std::string& line : box.lines)
        text(owner, {x, y += 14}, line, room, labelSize, Weight::Regular, Colour::Muted,
             TextRole::Detail, Elide::Right);
}

std::size_t Painter::itemsAtMost() const {
    std::size_t out =
        m_outer.legs.size() + 4 * m_outer.cuts.size() + 3 * m_diagram.containers.size();
    for (const InnerLayout& inner : m_composition.inners)
        out += inner.output.legs.size() + 4 * inner.output.cuts.size();
    for (const Box& box : m_diagram.boxes)
        out += 5 + box.lines.size() + (box.maker.isSomebody() ? 2 : 0) +
               (box.inside != Inside::None ? 2 : 0);
    std::size_t labelled = 0;
    for (const Edge& edge : m_diagram.edges)
        labelled += !edge.label.empty();
    return out + std::min(labelled, m_diagram.boxes.size());
}

void Painter::paintBoxes(const Level& level, std::uint32_t container) {
    const auto first = static_cast<std::uint32_t>(level.containers.size());
    for (std::uint32_t i = 0; i < level.boxes.size(); ++i) {
        const BoxShape shape = m_composition.boxes[level.boxes[i]];
        const Point center = centerOf(container, first + i);
        paintBox(level.boxes[i],
                 {std::round(center.x - shape.width / 2), std::round(center.y - shape.height / 2)});
    }
}

void Painter::run() {
    m_picture.width = m_outer.width + 2 * margin;
    m_picture.height = m_outer.height + 2 * margin;
    m_picture.boxes.resize(m_diagram.boxes.size());
    m_picture.items.reserve(itemsAtMost());
    m_picture.links.reserve(m_diagram.edges.size());
    for (const Edge& edge : m_diagram.edges) {
        m_picture.links.push_back({edge.from, edge.to});
        m_picture.edgeKinds.insert(edge.kind);
    }
    if (m_picture.edgeKinds == std::set{EdgeKind::Data})
        m_picture.edgeKinds.clear();
    m_picture.containers.resize(m_diagram.containers.size());
    placeContainers(m_composition.outer, noBox);
    for (const std::uint32_t c : m_composition.outerFirst)
        placeContainers(m_composition.inners[c], c);
    for (const std::uint32_t c : m_composition.outerFirst)
        paintContainer(c);
    paintLegs(m_outer.legs, m_composition.outer.edgeSources, {margin, margin}, 1.4);
    paintStubs(m_outer.cuts, m_composition.outer.edgeSources, {margin, margin});
    for (const std::uint32_t c : m_composition.outerFirst) {
        InnerLayout& inner = m_composition.inners[c];
        const Rect& rect = m_picture.containers[c].rect;
        paintLegs(inner.output.legs, inner.edgeSources,
                  {rect.x + inner.origin.x, rect.y + inner.origin.y}, 1.2);
        paintStubs(inner.output.cuts, inner.edgeSources,
                   {rect.x + inner.origin.x, rect.y + inner.origin.y});
    }
    for (const std::uint32_t c : m_composition.outerFirst)
        paintBoxes(m_composition.inners[c], c);
    paintBoxes(m_composition.outer, noBox);
    paintLabels(m_diagram, m_stubs, m_picture);
}

} // namespace

EdgeLook lookOf(EdgeKind kind) {
    switch (kind) {
    case EdgeKind::Data:
        break;
    case EdgeKind::Shape:
        return {Dash::Dotted};
    case EdgeKind::Residual:
        return {Dash::Solid, Colour::Residual, 0.8};
    case EdgeKind::Body:
        return {Dash::Dashed};
    }
    return {};
}

void paint(const Diagram& diagram, Composition&& composition, LayeredOutput&& outer,
           Picture& picture) {
    Painter(diagram, composition, outer, picture).run();
}

} // namespace fw::picture
