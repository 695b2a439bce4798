#include "views/graph/scene_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

using Bounds = RectTree::Bounds;

Bounds joined(const Bounds& a, const Bounds& b) {
    return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
            std::max(a.bottom, b.bottom)};
}

bool overlap(const Bounds& a, const Bounds& b) {
    return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

// The bits of the middle's x and y in turn.
std::uint64_t placeOnCurve(const Bounds& bounds, const Bounds& all) {
    const auto spread = [](double part) {
        std::uint64_t out = 0;
        const auto bits = static_cast<std::uint64_t>(std::clamp(part, 0.0, 1.0) * 0xffff);
        for (int i = 0; i < 16; ++i)
            out |= (bits >> i & 1) << (2 * i);
        return out;
    };
    const auto part = [&](double from, double to, double least, double most) {
        return spread(((from + to) / 2 - least) / std::max(most - least, 1.0));
    };
    return part(bounds.left, bounds.right, all.left, all.right) |
           part(bounds.top, bounds.bottom, all.top, all.bottom) << 1;
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

using Numbers = std::vector<std::pair<std::int64_t, std::uint32_t>>;

Numbers::const_iterator firstOf(const Numbers& numbers, std::int64_t id) {
    return std::lower_bound(numbers.begin(), numbers.end(), std::pair(id, std::uint32_t(0)));
}

const std::uint32_t* numberOf(const Numbers& numbers, std::int64_t id) {
    const auto found = firstOf(numbers, id);
    return found == numbers.end() || found->first != id ? nullptr : &found->second;
}

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

RectTree::Bounds RectTree::boundsOf(const Rect& rect) {
    constexpr float least = std::numeric_limits<float>::lowest();
    constexpr float most = std::numeric_limits<float>::max();
    const auto down = [](double x) { return std::nextafter(static_cast<float>(x), least); };
    const auto up = [](double x) { return std::nextafter(static_cast<float>(x), most); };
    return {down(rect.x), down(rect.y), up(rect.right()), up(rect.bottom())};
}

RectTree::RectTree(std::vector<Entry> entries) : m_entries(std::move(entries)) {
    Bounds all;
    for (const Entry& entry : m_entries)
        all = joined(all, entry.bounds);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    order.reserve(m_entries.size());
    for (std::uint32_t i = 0; i < m_entries.size(); ++i)
        order.emplace_back(placeOnCurve(m_entries[i].bounds, all), i);
    std::sort(order.begin(), order.end());
    std::vector<Entry> sorted;
    sorted.reserve(m_entries.size());
    for (const auto& [place, i] : order)
        sorted.push_back(m_entries[i]);
    m_entries = std::move(sorted);
    const auto pack = [this](std::size_t count, const auto& rectOf) {
        std::vector<Bounds> level;
        level.reserve(count / fanOut + 1);
        for (std::size_t i = 0; i < count; ++i) {
            if (i % fanOut == 0)
                level.push_back(rectOf(i));
            else
                level.back() = joined(level.back(), rectOf(i));
        }
        m_levels.push_back(std::move(level));
    };
    if (!m_entries.empty())
        pack(m_entries.size(), [this](std::size_t i) { return m_entries[i].bounds; });
    while (!m_levels.empty() && m_levels.back().size() > 1) {
        const std::vector<Bounds> below = m_levels.back();
        pack(below.size(), [&](std::size_t i) { return below[i]; });
    }
}

void RectTree::find(const Rect& rect, std::vector<std::uint32_t>& items) const {
    const Bounds wanted = boundsOf(rect);
    std::vector<std::pair<std::size_t, std::size_t>> open; // level + 1, place; level 0: an entry
    if (!m_levels.empty())
        open.emplace_back(m_levels.size(), 0);
    while (!open.empty()) {
        const auto [level, place] = open.back();
        open.pop_back();
        if (!overlap(m_levels[level - 1][place], wanted))
            continue;
        const std::size_t below = level == 1 ? m_entries.size() : m_levels[level - 2].size();
        for (std::size_t i = place * fanOut; i < std::min(below, (place + 1) * fanOut); ++i) {
            if (level > 1)
                open.emplace_back(level - 1, i);
            else if (overlap(m_entries[i].bounds, wanted))
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
                shapes.push_back({RectTree::boundsOf(grown(hull(&path->points[k], 4), 6)), i});
        } else {
            const bool text = std::holds_alternative<TextItem>(p.items[i]);
            (text ? texts : shapes).push_back({RectTree::boundsOf(boundsOf(p.items[i])), i});
        }
    }
    m_shapes = RectTree(std::move(shapes));
    m_texts = RectTree(std::move(texts));
    for (std::uint32_t i = 0; i < p.boxes.size(); ++i)
        m_boxes.emplace_back(p.boxes[i].id, i);
    for (std::uint32_t i = 0; i < p.containers.size(); ++i)
        m_containers.emplace_back(p.containers[i].id, i);
    for (std::uint32_t i = 0; i < p.links.size(); ++i) {
        m_consuming.emplace_back(p.links[i].from, i);
        m_producing.emplace_back(p.links[i].to, i);
    }
    for (Numbers* numbers : {&m_boxes, &m_containers, &m_consuming, &m_producing}) {
        std::sort(numbers->begin(), numbers->end());
        numbers->shrink_to_fit();
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
    const std::uint32_t* number = numberOf(m_boxes, id);
    return number == nullptr ? nullptr : &m_picture->boxes[*number];
}

const PlacedContainer* SceneIndex::container(std::int64_t id) const {
    const std::uint32_t* number = numberOf(m_containers, id);
    return number == nullptr ? nullptr : &m_picture->containers[*number];
}

std::vector<std::int64_t> SceneIndex::members(std::int64_t outer) const {
    std::vector<std::int64_t> ids;
    const auto isInside = [&](std::int64_t id) {
        while (id != -1 && id != outer)
            id = container(id)->parent;
        return id == outer;
    };
    if (m_picture)
        for (const PlacedBox& box : m_picture->boxes)
            if (isInside(box.container))
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
        } else if (const auto& text = std::get<TextItem>(item);
                   (text.owner.kind == OwnerKind::Leaving ||
                    text.owner.kind == OwnerKind::Arriving) &&
                   boundsOf(item).contains(point)) {
            return text.owner;
        }
    }
    return edge.kind == OwnerKind::None ? container : edge;
}

std::vector<std::int64_t> SceneIndex::neighbours(const Numbers& links, std::int64_t id,
                                                 std::int64_t Link::*end) const {
    std::vector<std::int64_t> out;
    for (auto link = firstOf(links, id); link != links.end() && link->first == id; ++link) {
        const std::int64_t other = m_picture->links[link->second].*end;
        if (std::find(out.begin(), out.end(), other) == out.end())
            out.push_back(other);
    }
    return out;
}

std::vector<std::int64_t> SceneIndex::producers(std::int64_t id) const {
    return neighbours(m_producing, id, &Link::from);
}

std::vector<std::int64_t> SceneIndex::consumers(std::int64_t id) const {
    return neighbours(m_consuming, id, &Link::to);
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
