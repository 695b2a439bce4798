// Diagrams for the tests of core/picture and views/graph, and what must hold for every picture.
#pragma once

#include "picture/picture.h"

#include <QTest>

#include <cstdint>
#include <map>
#include <random>

namespace fw::picture {

// input -> group {conv2d, bias, relu} -> group {conv2d, bias, clip} -> group {add} -> output, with
// a residual edge around the second group.
inline Diagram residualBlock() {
    Diagram d;
    d.name = "residual block";
    const auto box = [](std::int64_t id, const char* title, const char* subtitle,
                        std::int64_t container, BoxRole role = BoxRole::Operator) {
        return Box{id, title, subtitle, {}, MakerRecord(), container, role};
    };
    d.boxes = {box(1, "input", "x f32[1,32,56,56]", -1, BoxRole::Input),
               box(2, "conv2d", "Conv_12", 10),
               box(3, "bias", "Bn_13 folded", 10),
               box(4, "relu", "Relu_14", 10),
               box(5, "conv2d", "Conv_15 depthwise", 11),
               box(6, "bias", "Bn_16 folded", 11),
               box(7, "clip", "Clip_17", 11),
               box(8, "add", "Add_18", 12),
               box(9, "output", "y f32[1,96,56,56]", -1, BoxRole::Output)};
    d.containers = {{10, "conv2d_bias_relu_3", "0.21 ms", MakerRecord{Maker::Library, "onednn"}},
                    {11, "conv2d_bias_clip_4", "0.06 ms", MakerRecord{Maker::Generated, {}}},
                    {12, "add_5", "0.02 ms", MakerRecord{Maker::Generated, {}}}};
    const std::string shape = "1×96×56×56";
    const auto edge = [&](std::int64_t from, std::int64_t to, int toPort = 0) {
        return Edge{from, 0, to, toPort, shape, EdgeKind::Data};
    };
    d.edges = {edge(1, 2), edge(2, 3), edge(3, 4),    edge(4, 5), edge(5, 6),
               edge(6, 7), edge(7, 8), edge(4, 8, 1), edge(8, 9)};
    return d;
}

enum class Grouping : std::uint8_t { Flat, Groups };

// Edges run from lower to higher ids. Groups are runs of ids, hence convex.
inline Diagram randomDiagram(std::uint32_t seed, int boxes, Grouping grouping) {
    std::mt19937 random(seed);
    const auto below = [&](int limit) {
        return static_cast<int>(random() % static_cast<unsigned>(limit));
    };
    Diagram d;
    d.name = "random";
    std::int64_t container = -1;
    for (int i = 0; i < boxes; ++i) {
        if (grouping == Grouping::Groups && below(3) == 0) {
            container = below(4) == 0 ? -1 : 1000000 + i;
            if (container != -1)
                d.containers.push_back({container, "group_" + std::to_string(i), "0.1 ms",
                                        MakerRecord{Maker::Generated, {}}});
        }
        Box box;
        box.id = i;
        box.title = "op" + std::to_string(below(20));
        box.subtitle = std::string(static_cast<std::size_t>(below(40)), 'n');
        if (below(5) == 0)
            box.lines = {"axis 1", "keep"};
        box.container = container;
        d.boxes.push_back(box);
        if (i == 0)
            continue;
        const int inputs = 1 + below(3);
        for (int k = 0; k < inputs; ++k) {
            const int reach = below(8) == 0 ? i : std::min(i, 6);
            d.edges.push_back({i - 1 - below(reach), below(2), i, k, "8×16", EdgeKind::Data});
        }
    }
    return d;
}

inline Point bezierPoint(const Point* p, double t) {
    const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, e = t * t * t;
    return {a * p[0].x + b * p[1].x + c * p[2].x + e * p[3].x,
            a * p[0].y + b * p[1].y + c * p[2].y + e * p[3].y};
}

// "" or the first thing that is wrong with the picture.
inline std::string brokenInvariant(const Diagram& d, const Picture& p) {
    if (p.boxes.size() != d.boxes.size() || p.containers.size() != d.containers.size() ||
        p.links.size() != d.edges.size())
        return "something is missing";
    const Rect all{0, 0, p.width, p.height};
    std::map<std::int64_t, Rect> boxes, containers;
    for (const PlacedContainer& c : p.containers) {
        if (!all.contains(c.rect))
            return "a container lies outside";
        for (const auto& [id, rect] : containers)
            if (rect.overlaps(c.rect))
                return "two containers overlap";
        containers[c.id] = c.rect;
    }
    for (const PlacedBox& b : p.boxes) {
        if (!all.contains(b.rect))
            return "a box lies outside";
        for (const auto& [id, rect] : boxes)
            if (rect.overlaps(b.rect))
                return "boxes " + std::to_string(id) + " and " + std::to_string(b.id) + " overlap";
        boxes[b.id] = b.rect;
        for (const auto& [id, rect] : containers) {
            if (id == b.container && !rect.contains(b.rect))
                return "a container does not hold its member";
            if (id != b.container && rect.overlaps(b.rect))
                return "a container overlaps a stranger";
        }
    }
    for (const Link& link : p.links)
        if (link.from != link.to && boxes[link.from].bottom() > boxes[link.to].y)
            return "an edge runs upward";
    std::vector<char> drawn(d.edges.size(), 0);
    for (const Item& item : p.items) {
        const auto* path = std::get_if<PathItem>(&item);
        if (!path)
            continue;
        if (path->points.size() % 3 != 1 || path->edges.empty())
            return "a path is malformed";
        for (const std::uint32_t e : path->edges)
            drawn[e] = 1;
    }
    for (const char seen : drawn)
        if (!seen)
            return "an edge is not drawn";
    return {};
}

// Boxes that some path runs through, for layouts that promise none.
inline int crossedBoxes(const Picture& p) {
    int crossed = 0;
    for (const Item& item : p.items) {
        const auto* path = std::get_if<PathItem>(&item);
        if (!path)
            continue;
        bool through = false;
        for (std::size_t i = 0; i + 3 < path->points.size(); i += 3)
            for (int k = 0; k <= 16; ++k) {
                const Point at = bezierPoint(&path->points[i], k / 16.0);
                for (const PlacedBox& b : p.boxes)
                    through |= at.x > b.rect.x + 1 && at.x < b.rect.right() - 1 &&
                               at.y > b.rect.y + 1 && at.y < b.rect.bottom() - 1;
            }
        crossed += through ? 1 : 0;
    }
    return crossed;
}

} // namespace fw::picture
