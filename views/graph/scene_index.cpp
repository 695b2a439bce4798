#include "views/graph/scene_index.h"

#include <algorithm>
#include <cmath>

namespace fw::ui {
namespace {

using namespace picture;

constexpr double cellSize = 256;

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

double distance(const PathItem& path, Point point) {
    double best = 1e30;
    for (std::size_t i = 0; i + 3 < path.points.size(); i += 3) {
        const Point* p = &path.points[i];
        if (!grown(hull(p, 4), best < 1e29 ? best : 12).contains(point))
            continue;
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

SceneIndex::SceneIndex(std::shared_ptr<const Picture> shared) : m_picture(std::move(shared)) {
    if (!m_picture)
        return;
    const Picture& p = *m_picture;
    m_columns = std::max(1, static_cast<int>(std::ceil(p.width / cellSize)));
    m_rows = std::max(1, static_cast<int>(std::ceil(p.height / cellSize)));
    m_cells.resize(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows));
    for (std::uint32_t i = 0; i < p.items.size(); ++i) {
        if (const auto* path = std::get_if<PathItem>(&p.items[i])) {
            for (std::size_t k = 0; k + 3 < path->points.size(); k += 3)
                insert(i, grown(hull(&path->points[k], 4), 6));
        } else {
            insert(i, boundsOf(p.items[i]));
        }
    }
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

void SceneIndex::insert(std::uint32_t item, const Rect& bounds) {
    const auto column = [&](double x) {
        return std::clamp(static_cast<int>(std::floor(x / cellSize)), 0, m_columns - 1);
    };
    const auto row = [&](double y) {
        return std::clamp(static_cast<int>(std::floor(y / cellSize)), 0, m_rows - 1);
    };
    for (int y = row(bounds.y); y <= row(bounds.bottom()); ++y)
        for (int x = column(bounds.x); x <= column(bounds.right()); ++x) {
            auto& cell = m_cells[static_cast<std::size_t>(y * m_columns + x)];
            if (cell.empty() || cell.back() != item)
                cell.push_back(item);
        }
}

std::vector<std::uint32_t> SceneIndex::itemsIn(const Rect& rect) const {
    std::vector<std::uint32_t> found;
    if (!m_picture)
        return found;
    const int x0 = std::clamp(static_cast<int>(std::floor(rect.x / cellSize)), 0, m_columns - 1);
    const int x1 =
        std::clamp(static_cast<int>(std::floor(rect.right() / cellSize)), 0, m_columns - 1);
    const int y0 = std::clamp(static_cast<int>(std::floor(rect.y / cellSize)), 0, m_rows - 1);
    const int y1 =
        std::clamp(static_cast<int>(std::floor(rect.bottom() / cellSize)), 0, m_rows - 1);
    for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
            const auto& cell = m_cells[static_cast<std::size_t>(y * m_columns + x)];
            found.insert(found.end(), cell.begin(), cell.end());
        }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::erase_if(found,
                  [&](std::uint32_t i) { return !boundsOf(m_picture->items[i]).overlaps(rect); });
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
