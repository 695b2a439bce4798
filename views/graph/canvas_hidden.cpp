// What keeps its place in a canvas without being seen, so that two canvases can show two states in
// one layout.
#include "views/graph/canvas.h"

#include <cmath>

namespace fw::ui {

void GraphCanvas::setHidden(Hidden hidden) {
    if (hidden == m_hidden)
        return;
    m_hidden = std::move(hidden);
    m_minimap = QPixmap();
    refreshHidden();
    changeLook();
}

void GraphCanvas::refreshHidden() {
    m_makers.clear();
    if (m_picture)
        for (const picture::PlacedContainer& container : m_picture->containers)
            if (!m_hidden.containers.contains(container.id) && container.maker.isSomebody())
                m_makers.insert(container.maker);
    m_hiddenEdges.assign(m_picture ? m_picture->links.size() : 0, 0);
    for (std::size_t e = 0; e < m_hiddenEdges.size(); ++e) {
        const picture::Link& link = m_picture->links[e];
        m_hiddenEdges[e] = isHidden(link.from) || isHidden(link.to) ||
                           m_hidden.edges.contains({link.from, link.to});
    }
    refreshBridges();
}

void GraphCanvas::refreshBridges() {
    m_bridges.clear();
    if (!m_picture || m_hidden.containers.empty())
        return;
    const auto isAt = [](double y, double wanted) { return std::abs(y - wanted) < 1; };
    const auto eachPath = [&](const auto& act) {
        for (const picture::Item& item : m_picture->items)
            if (const auto* path = std::get_if<picture::PathItem>(&item);
                path && !path->points.empty())
                for (const std::uint32_t e : path->edges)
                    if (m_hiddenEdges[e] == 0)
                        act(*path, e);
    };
    std::vector<std::vector<picture::Point>> starts(m_picture->links.size());
    eachPath([&](const picture::PathItem& path, std::uint32_t e) {
        starts[e].push_back(path.points.front());
    });
    eachPath([&](const picture::PathItem& path, std::uint32_t e) {
        const picture::PlacedBox* box = m_index->box(m_picture->links[e].to);
        for (std::int64_t id = box ? box->container : -1; id != -1;) {
            const picture::PlacedContainer* around = m_index->container(id);
            if (m_hidden.containers.contains(id) && isAt(path.points.back().y, around->rect.y))
                for (const picture::Point& start : starts[e])
                    if (isAt(start.y, around->rect.y + around->headerHeight))
                        m_bridges[&path].push_back(start);
            id = around->parent;
        }
    });
}

bool GraphCanvas::isHidden(const picture::Owner& owner) const {
    switch (owner.kind) {
    case picture::OwnerKind::Edge:
    case picture::OwnerKind::Leaving:
    case picture::OwnerKind::Arriving:
        return m_hiddenEdges[static_cast<std::size_t>(owner.id)] != 0;
    case picture::OwnerKind::Box:
        return isHidden(owner.id);
    case picture::OwnerKind::Container:
        return m_hidden.containers.contains(owner.id);
    case picture::OwnerKind::None:
        break;
    }
    return false;
}

void GraphCanvas::follow(const GraphCanvas& other) {
    if (m_scale == other.m_scale && m_offset == other.m_offset)
        return;
    m_scale = other.m_scale;
    moveTo(other.m_offset);
    Q_EMIT scaleChanged(m_scale);
}

picture::Owner GraphCanvas::ownerAt(QPointF at) const {
    const picture::Owner owner = m_index->hit(toScene(at), 5 / m_scale);
    return isHidden(owner) ? picture::Owner() : owner;
}

} // namespace fw::ui
