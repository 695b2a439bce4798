#include "views/graph/scene_index.h"

#include <algorithm>
#include <cmath>

namespace fw::ui {
namespace {

using namespace picture;

constexpr std::size_t fanOut = 16;

Rect hull(const Point* points, std::size_t count) {
    double x0 = points[0].x, x1 = x0, y0 = points[0].y, y1 = y0;
    for (std::size_t i = 1; i < count; ++i) {
        x0 = std::min(x0, points[i].x);
        x1 = std::max(x1, points[i].x);
        y0 = std::min(y0, points[i].y);
        y1 = std::max(y1, points[i].y);
    }
    return {x0, y0, x1 - x0, y1 - y0};
}

Rect grown(Rect rect, double by) {
    return {rect.x - by, rect.y - by, rect.width + 2 * by, rect.height + 2 * by};
}

Rect joined(const Rect& a, const Rect& b) {
    const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

// The bits of x and y in turn.
std::uint64_t placeOnCurve(Point point, const Rect& all) {
    const auto spread = [](double part) {
        std::uint64_t out = 0;
        const auto bits = static_cast<std::uint64_t>(std::clamp(part, 0.0, 1.0) * 0xffff);
        for (int i = 0; i < 16; ++i)
            out |= (bits >> i & 1) << (2 * i);
        return out;
    };
    return spread((point.x - all.x) / std::max(all.width, 1.0)) |
           spread((point.y - all.y) / std::max(all.height, 1.0)) << 1;
}

double distance(const PathItem& path, Point point) {
    double best = 1e30;
    for (std::size_t i = 0; i + 3 < path.points.size(); i += 3) {
        const Point* p = &path.points[i];
        if (!grown(hull(p, 4), best < 1e29 ? best : 12).contains(point))
            continue;
        if (runsDown(p)) {
            const double above = std::min(p[0].y, p[3].y) - point.y;
            const double below = point.y - std::max(p[0].y, p[3].y);
            best = std::min(best, std::hypot(p[0].x - point.x, std::max({above, below, 0.0})));
            continue;
        }
        for (int k = 0; k <= 24; ++k) {
            const double t = k / 24.0, s = 1 - t;
            const double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
            best = std::min(
                best, std::hypot(a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x - point.x,
                                 a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y - point.y));
        }
    }
    return best;
}

const std::vector<std::int64_t> g_none;

} // namespace

Rect boundsOf(const Item& item) {
    if (const auto* rect = std::get_if<RectItem>(&item))
        return grown(rect->rect, rect->lineWidth + 2);
    if (const auto* text = std::get_if<TextItem>(&item))
        return {text->position.x - 1, text->position.y - text->size, text->width + 2,
                text->size * 1.4};
    const auto& path = std::get<PathItem>(item);
    return path.points.empty() ? Rect{} : grown(hull(path.points.data(), path.points.size()), 6);
}

RectTree::RectTree(std::vector<Entry> entries) : m_entries(std::move(entries)) {
    Rect all;
    for (const Entry& entry : m_entries)
        all = joined(all, entry.rect);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    for (std::uint32_t i = 0; i < m_entries.size(); ++i)
        order.emplace_back(placeOnCurve(m_entries[i].rect.center(), all), i);
    std::sort(order.begin(), order.end());
    std::vector<Entry> sorted;
    sorted.reserve(m_entries.size());
    for (const auto& [place, i] : order)
        sorted.push_back(m_entries[i]);
    m_entries = std::move(sorted);
    const auto pack = [this](std::size_t count, const auto& rectOf) {
        std::vector<Rect> level;
        for (std::size_t i = 0; i < count; ++i) {
            if (i % fanOut == 0)
                level.push_back(rectOf(i));
            else
                level.back() = joined(level.back(), rectOf(i));
        }
        m_levels.push_back(std::move(level));
    };
    if (!m_entries.empty())
        pack(m_entries.size(), [this](std::size_t i) { return m_entries[i].rect; });
    while (!m_levels.empty() && m_levels.back().size() > 1) {
        const std::vector<Rect> below = m_levels.back();
        pack(below.size(), [&](std::size_t i) { return below[i]; });
    }
}

void RectTree::find(const Rect& rect, std::vector<std::uint32_t>& items) const {
    std::vector<std::pair<std::size_t, std::size_t>> open; // level + 1, place; level 0: an entry
    if (!m_levels.empty())
        open.emplace_back(m_levels.size(), 0);
    while (!open.empty()) {
        const auto [level, place] = open.back();
        open.pop_back();
        if (!m_levels[level - 1][place].overlaps(rect))
            continue;
        const std::size_t below = level == 1 ? m_entries.size() : m_levels[level - 2].size();
        for (std::size_t i = place * fanOut; i < std::min(below, (place + 1) * fanOut); ++i) {
            if (level > 1)
                open.emplace_back(level - 1, i);
            else if (m_entries[i].rect.overlaps(rect))
                items.push_back(m_entries[i].item);
        }
    }
}

SceneIndex::SceneIndex(std::shared_ptr<const Picture> shared) : m_picture(std::move(shared)) {
    if (!m_picture)
        return;
    const Picture& p = *m_picture;
    std::vector<RectTree::Entry> shapes, texts;
    for (std::uint32_t i = 0; i < p.items.size(); ++i) {
        if (const auto* path = std::get_if<PathItem>(&p.items[i])) {
            for (std::size_t k = 0; k + 3 < path->points.size(); k += 3)
                shapes.push_back({grown(hull(&path->points[k], 4), 6), i});
        } else {
            const bool text = std::holds_alternative<TextItem>(p.items[i]);
            (text ? texts : shapes).push_back({boundsOf(p.items[i]), i});
        }
    }
    m_shapes = RectTree(std::move(shapes));
    m_texts = RectTree(std::move(texts));
    for (std::uint32_t i = 0; i < p.boxes.size(); ++i)
        m_boxes.emplace(p.boxes[i].id, i);
    for (std::uint32_t i = 0; i < p.containers.size(); ++i)
        m_containers.emplace(p.containers[i].id, i);
    const auto add = [](std::vector<std::int64_t>& list, std::int64_t id) {
        if (std::find(list.begin(), list.end(), id) == list.end())
            list.push_back(id);
    };
    for (const Link& link : p.links) {
        add(m_links[link.from].consumers, link.to);
        add(m_links[link.to].producers, link.from);
    }
}

std::vector<std::uint32_t> SceneIndex::itemsIn(const Rect& rect, Detail detail) const {
    std::vector<std::uint32_t> found;
    m_shapes.find(rect, found);
    if (detail == Detail::All)
        m_texts.find(rect, found);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

const PlacedBox* SceneIndex::box(std::int64_t id) const {
    const auto found = m_boxes.find(id);
    return found == m_boxes.end() ? nullptr : &m_picture->boxes[found->second];
}

const PlacedContainer* SceneIndex::container(std::int64_t id) const {
    const auto found = m_containers.find(id);
    return found == m_containers.end() ? nullptr : &m_picture->containers[found->second];
}

std::vector<std::int64_t> SceneIndex::members(std::int64_t container) const {
    std::vector<std::int64_t> ids;
    if (m_picture)
        for (const PlacedBox& box : m_picture->boxes)
            if (box.container == container)
                ids.push_back(box.id);
    return ids;
}

std::vector<std::int64_t> SceneIndex::boxesIn(const Rect& rect) const {
    std::vector<std::int64_t> ids;
    if (m_picture)
        for (const PlacedBox& box : m_picture->boxes)
            if (box.rect.overlaps(rect))
                ids.push_back(box.id);
    return ids;
}

Owner SceneIndex::hit(Point point, double reach) const {
    Owner edge;
    double nearest = reach;
    const auto near = itemsIn({point.x - reach, point.y - reach, 2 * reach, 2 * reach});
    Owner container;
    for (auto it = near.rbegin(); it != near.rend(); ++it) {
        const Item& item = m_picture->items[*it];
        if (const auto* rect = std::get_if<RectItem>(&item)) {
            if (!rect->rect.contains(point))
                continue;
            if (rect->owner.kind == OwnerKind::Box)
                return rect->owner;
            if (container.kind == OwnerKind::None)
                container = rect->owner;
        } else if (const auto* path = std::get_if<PathItem>(&item)) {
            const double away = distance(*path, point);
            if (away < nearest) {
                nearest = away;
                edge = path->owner;
            }
        }
    }
    return edge.kind == OwnerKind::None ? container : edge;
}

const std::vector<std::int64_t>& SceneIndex::producers(std::int64_t id) const {
    const auto found = m_links.find(id);
    return found == m_links.end() ? g_none : found->second.producers;
}

const std::vector<std::int64_t>& SceneIndex::consumers(std::int64_t id) const {
    const auto found = m_links.find(id);
    return found == m_links.end() ? g_none : found->second.consumers;
}

std::int64_t SceneIndex::walk(std::int64_t from, Direction direction, std::int64_t cameFrom) const {
    const PlacedBox* start = box(from);
    if (!start)
        return -1;
    const Point center = start->rect.center();
    std::int64_t best = -1;
    double least = 1e30;
    const auto consider = [&](const PlacedBox& other, double cost) {
        if (cost < least) {
            least = cost;
            best = other.id;
        }
    };
    if (direction == Direction::Up || direction == Direction::Down) {
        for (const std::int64_t id :
             direction == Direction::Up ? producers(from) : consumers(from)) {
            const PlacedBox* other = box(id);
            if (!other || id == from)
                continue;
            if (id == cameFrom)
                return id;
            const Point there = other->rect.center();
            consider(*other, std::abs(there.y - center.y) + 2 * std::abs(there.x - center.x));
        }
        return best;
    }
    for (const PlacedBox& other : m_picture->boxes) {
        const Point there = other.rect.center();
        const double along = direction == Direction::Left ? center.x - there.x : there.x - center.x;
        const double across = std::abs(there.y - center.y);
        if (other.id != from && along > 1 && across < (start->rect.height + other.rect.height) / 2)
            consider(other, along + 2 * across);
    }
    return best;
}

} // namespace fw::ui
