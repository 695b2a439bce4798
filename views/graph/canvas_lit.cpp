// What is lit while the rest is dimmed.
#include "views/graph/canvas.h"

#include <QPainter>

namespace fw::ui {

void GraphCanvas::setLit(std::optional<std::set<std::int64_t>> boxes) {
    if (boxes == m_lit)
        return;
    m_lit = std::move(boxes);
    refreshLit();
    changeLook();
}

void GraphCanvas::refreshLit() {
    m_litContainers.clear();
    m_dimmedEdges.clear();
    if (!m_lit || !m_picture)
        return;
    for (const picture::PlacedBox& box : m_picture->boxes)
        if (m_lit->contains(box.id))
            for (std::int64_t around = box.container; around != -1;
                 around = m_index->container(around)->parent)
                m_litContainers.insert(around);
    for (const picture::Link& link : m_picture->links)
        m_dimmedEdges.push_back(!m_lit->contains(link.from) || !m_lit->contains(link.to));
}

bool GraphCanvas::isDimmed(const picture::Owner& owner) const {
    if (!m_lit)
        return false;
    switch (owner.kind) {
    case picture::OwnerKind::Box:
        return !m_lit->contains(owner.id);
    case picture::OwnerKind::Container:
        return !m_litContainers.contains(owner.id);
    case picture::OwnerKind::Edge:
    case picture::OwnerKind::Leaving:
    case picture::OwnerKind::Arriving:
        return m_dimmedEdges[static_cast<std::size_t>(owner.id)] != 0;
    case picture::OwnerKind::None:
        break;
    }
    return false;
}

} // namespace fw::ui
