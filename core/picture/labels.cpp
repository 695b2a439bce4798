#include "picture/labels.h"

#include "picture/compose.h"
#include "picture/text.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace fw::picture {
namespace {

Point bezier(const Point* p, double t) {
    const double s = 1 - t;
    const double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
    return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
            a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

constexpr double cellSize = 64;
constexpr std::uint32_t noItem = UINT32_MAX;

std::pair<int, int> cellAt(Point p) {
    return {static_cast<int>(std::floor(p.x / cellSize)),
            static_cast<int>(std::floor(p.y / cellSize))};
}

// What lies in each cell, as lists in one array.
template <class T>
class Cells {
public:
    void add(int x, int y, const T& item) {
        const auto [head, fresh] = m_heads.try_emplace(key(x, y), noItem);
        m_items.push_back({item, head->second});
        head->second = static_cast<std::uint32_t>(m_items.size() - 1);
    }
    template <class Test>
    bool any(int x, int y, const Test& test) const {
        const auto head = m_heads.find(key(x, y));
        for (std::uint32_t i = head == m_heads.end() ? noItem : head->second; i != noItem;
             i = m_items[i].next)
            if (test(m_items[i].item))
                return true;
        return false;
    }

private:
    static std::uint64_t key(int x, int y) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32 |
               static_cast<std::uint32_t>(y);
    }

    struct Listed {
        T item;
        std::uint32_t next;
    };
    std::unordered_map<std::uint64_t, std::uint32_t> m_heads;
    std::deque<Listed> m_items; // millions, that are never moved
};

struct Sample { // of a path
    float x = 0, y = 0;
};

// What is in the way of labels.
class Room {
public:
    // `pieces`: how many are followed. In a huge picture a long one is followed more coarsely: a
    // label may then lie on a line.
    explicit Room(std::size_t pieces)
        : m_most(static_cast<int>(
              std::clamp<std::size_t>(mostSamples / std::max<std::size_t>(pieces, 1), 4, 400))) {}

    void take(const Rect& rect) {
        const std::uint32_t number = listed(rect);
        const auto [x0, y0] = cellAt({rect.x, rect.y});
        const auto [x1, y1] = cellAt({rect.right(), rect.bottom()});
        for (int x = x0; x <= x1; ++x)
            for (int y = y0; y <= y1; ++y)
                m_taken.add(x, y, number);
    }

    void follow(std::span<const Point> points) {
        for (std::size_t i = 0; i + 3 < points.size(); i += 3) {
            const Point a = points[i], b = points[i + 3];
            if (runsDown(&points[i])) {
                const Rect line{a.x, std::min(a.y, b.y), 0, std::abs(a.y - b.y)};
                const auto [x, first] = cellAt({line.x, line.y});
                const int last = cellAt({line.x, line.bottom()}).second;
                const std::uint32_t number = listed(line);
                for (int y = first; y <= last; y += 1 + (last - first) / m_most)
                    m_taken.add(x, y, number);
                continue;
            }
            const double length = std::abs(a.x - b.x) + std::abs(a.y - b.y);
            const int steps = static_cast<int>(std::clamp(length / 6, 1.0, double(m_most)));
            for (int k = 0; k <= steps; ++k) {
                const Point p = bezier(&points[i], static_cast<double>(k) / steps);
                const auto [x, y] = cellAt(p);
                m_samples.add(x, y, {static_cast<float>(p.x), static_cast<float>(p.y)});
            }
        }
    }

    bool isFree(const Rect& rect) const {
        const auto [x0, y0] = cellAt({rect.x, rect.y});
        const auto [x1, y1] = cellAt({rect.right(), rect.bottom()});
        const auto overlaps = [&](std::uint32_t other) { return rect.overlaps(m_rects[other]); };
        const auto holds = [&](Sample at) { return rect.contains(Point{at.x, at.y}); };
        for (int x = x0; x <= x1; ++x)
            for (int y = y0; y <= y1; ++y)
                if (m_taken.any(x, y, overlaps) || m_samples.any(x, y, holds))
                    return false;
        return true;
    }

private:
    static constexpr std::size_t mostSamples = 4'000'000;

    std::uint32_t listed(const Rect& rect) {
        m_rects.push_back(rect);
        return static_cast<std::uint32_t>(m_rects.size() - 1);
    }

    int m_most; // samples of one piece
    std::deque<Rect> m_rects;
    Cells<std::uint32_t> m_taken; // of m_rects
    Cells<Sample> m_samples;
};

std::vector<const PathItem*> pathsOf(const Picture& picture) {
    std::vector<const PathItem*> paths;
    for (const Item& item : picture.items)
        if (const auto* path = std::get_if<PathItem>(&item))
            paths.push_back(path);
    return paths;
}

std::size_t piecesOf(const std::vector<const PathItem*>& paths) {
    std::size_t out = 0;
    for (const PathItem* path : paths)
        out += path->points.size() / 3;
    return out;
}

class Labels {
public:
    Labels(const Diagram& diagram, Picture& picture)
        : m_diagram(diagram), m_picture(picture), m_paths(pathsOf(picture)),
          m_room(piecesOf(m_paths)) {
        for (const PathItem* path : m_paths)
            m_room.follow(path->points);
        std::unordered_set<std::int64_t> blocks;
        for (const Container& container : diagram.containers)
            if (container.kind == ContainerKind::Block)
                blocks.insert(container.id);
        for (std::size_t b = 0; b < picture.boxes.size(); ++b)
            if (const auto around = picture.boxes[b].container;
                around == -1 || blocks.contains(around))
                m_room.take(picture.boxes[b].rect);
        for (PlacedContainer container : picture.containers) {
            if (container.kind == ContainerKind::Block) // it has labels inside
                container.rect.height = container.headerHeight;
            m_room.take(container.rect);
        }
    }

    void addStub(const Stub& stub) {
        const Label label(stub.text);
        for (const double x : {stub.end.x + 5, stub.end.x - 5 - label.width})
            if (put(label, {x - 1, stub.end.y - 7, label.width + 2, 12}, stub.owner,
                    {x, stub.end.y + 3}, Colour::Accent))
                return;
    }

    void addValues() {
        std::set<std::pair<std::int64_t, std::int32_t>> labelled;
        for (const PathItem* path : m_paths) {
            const Edge& edge = m_diagram.edges[path->edges.front()];
            const std::pair value(edge.from, edge.fromPort);
            if (path->owner.kind == OwnerKind::Edge && !edge.label.empty() &&
                !labelled.contains(value) && addBeside(*path, Label(edge.label)))
                labelled.insert(value);
        }
    }

    void finish() { m_picture.items.insert(m_picture.items.end(), m_found.begin(), m_found.end()); }

private:
    struct Label {
        explicit Label(const std::string& whole)
            : text(elide(whole, 150, labelSize, Weight::Regular, Elide::Middle)),
              width(textWidth(text, labelSize, Weight::Regular)) {}
        std::string text;
        double width;
    };

    bool addBeside(const PathItem& path, const Label& label) {
        constexpr double mostPlaces = 100; // beside one piece
        for (std::size_t k = 0; k + 3 < path.points.size(); k += 3) {
            const Point* piece = &path.points[k];
            const double height = runsDown(piece) ? std::abs(piece[3].y - piece[0].y) : 0;
            const int places = 1 + static_cast<int>(std::min(height / 100, mostPlaces));
            for (int part = 0; part < places; ++part) {
                const Point beside = bezier(piece, (part + 0.5) / places);
                for (const double x : {beside.x + 7, beside.x - 7 - label.width})
                    if (put(label, {x - 2, beside.y - 8, label.width + 4, 14}, path.owner,
                            {x, beside.y + 4}, Colour::EdgeLabel))
                        return true;
            }
        }
        return false;
    }

    // Whether there is room.
    bool put(const Label& label, const Rect& room, Owner owner, Point at, Colour colour) {
        if (room.x < 4 || !m_room.isFree(room))
            return false;
        m_room.take(room);
        m_picture.width = std::max(m_picture.width, room.right() + margin / 2);
        m_found.push_back({owner, at, label.width, labelSize, Weight::Regular, colour,
                           TextRole::EdgeLabel, keptText(m_picture, label.text)});
        return true;
    }

    const Diagram& m_diagram;
    Picture& m_picture;
    std::vector<const PathItem*> m_paths;
    Room m_room;
    std::vector<TextItem> m_found;
};

} // namespace

void paintLabels(const Diagram& diagram, const std::vector<Stub>& stubs, Picture& picture) {
    Labels labels(diagram, picture);
    for (const Stub& stub : stubs)
        labels.addStub(stub);
    labels.addValues();
    labels.finish();
}

} // namespace fw::picture
