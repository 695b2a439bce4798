// What keeps its place in a canvas without being seen, so that two canvases can show two states in
// one layout.
#include "views/graph/canvas.h"

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
    m_hiddenEdges.assign(m_picture ? m_picture->links.size() : 0, 0);
    if (m_hidden.boxes.empty() && m_hidden.edges.empty())
        return;
    for (std::size_t e = 0; e < m_hiddenEdges.size(); ++e) {
        const picture::Link& link = m_picture->links[e];
        m_hiddenEdges[e] = isHidden(link.from) || isHidden(link.to) ||
                           m_hidden.edges.contains({link.from, link.to});
    }
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
        return m_hidden.containers;
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
