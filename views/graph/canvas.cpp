// What the canvas does with mouse, keys and requests; what it looks like is in canvas_paint.cpp,
// which part of the picture it shows in canvas_place.cpp.
#include "views/graph/canvas.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QThreadPool>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fw::ui {
namespace {

QPointF toPoint(picture::Point p) {
    return {p.x, p.y};
}

} // namespace

GraphCanvas::GraphCanvas(QWidget* parent)
    : QAbstractScrollArea(parent), m_index(std::make_shared<const SceneIndex>()) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // the minimap shows where one is
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    takeGestures();
    setAccessibleName(tr("Graph"));
    setMinimumSize(120, 80);
    setTheme(Theme::instance().kind());
    describe();
    connect(&Theme::instance(), &Theme::changed, this, &GraphCanvas::setTheme);
}

void GraphCanvas::setPicture(std::shared_ptr<const picture::Picture> picture) {
    setIndex(std::make_shared<const SceneIndex>(std::move(picture)));
}

void GraphCanvas::setIndex(std::shared_ptr<const SceneIndex> index) {
    const picture::PlacedBox* before = m_index->box(m_focus);
    const QPointF anchor = before ? toViewport(before->rect.center()) : QPointF();
    const bool anchored = before != nullptr; // `before` ends with the old picture
    const std::vector<Seen> seen = anchored ? std::vector<Seen>() : uppermostSeen();
    const bool wasEmpty = !m_picture;
    const double oldWidth = m_picture ? m_picture->width : 0;
    const auto held = std::exchange(m_held, {});
    // Letting go of a large picture takes as long as making it.
    QThreadPool::globalInstance()->start(
        [oldPicture = std::move(m_picture), oldIndex = std::move(m_index)]() mutable {
            oldIndex.reset();
            oldPicture.reset();
        });
    m_picture = index->shared();
    m_index = std::move(index);
    m_minimap = QPixmap();
    m_items.clear();
    m_itemsView = {};
    m_shown = m_made = {};
    std::erase_if(m_selected, [&](std::int64_t id) { return !m_index->box(id); });
    if (!m_index->box(m_focus))
        m_focus = m_selected.empty() ? -1 : *m_selected.begin();
    m_cameFrom = m_hovered = -1;
    refreshEmphasis();
    refreshWay();
    refreshHidden();
    refreshLit();
    if (m_clickedContainer != -1 && !m_index->container(m_clickedContainer))
        m_clickedContainer = -1;
    const picture::PlacedBox* after = anchored ? m_index->box(m_focus) : nullptr;
    const auto living = std::find_if(seen.begin(), seen.end(), [&](const Seen& one) {
        const picture::PlacedBox* box = m_index->box(one.box);
        return box && box->label == one.label; // ids of another graph mean other nodes
    });
    if (const auto place = held ? placeOf(held->box, held->container) : std::nullopt)
        moveTo(m_offset + *place - held->at);
    else if (after)
        moveTo(toPoint(after->rect.center()) * m_scale - anchor);
    else if (wasEmpty || !m_picture)
        showStart();
    else if (living != seen.end())
        moveTo(toPoint(m_index->box(living->box)->rect.center()) * m_scale - living->at);
    else
        moveTo(m_offset + QPointF((m_picture->width - oldWidth) / 2 * m_scale, 0));
    describe();
    changeLook();
}

std::vector<GraphCanvas::Seen> GraphCanvas::uppermostSeen() const {
    constexpr std::size_t most = 20; // one of them lives on, or none is likely to
    std::vector<Seen> out;
    if (!m_picture)
        return out;
    const QRectF view = viewport()->rect();
    for (const picture::PlacedBox& box : m_picture->boxes)
        if (const QPointF at = toViewport(box.rect.center());
            view.contains(at) && !isHidden(box.id))
            out.push_back({box.id, std::string(box.label), at});
    std::sort(out.begin(), out.end(),
              [](const Seen& a, const Seen& b) { return a.at.y() < b.at.y(); });
    out.resize(std::min(out.size(), most));
    return out;
}

std::optional<QPointF> GraphCanvas::placeOf(std::int64_t box, std::int64_t container) const {
    if (const picture::PlacedBox* found = m_index->box(box))
        return toViewport(found->rect.center());
    const picture::PlacedContainer* found = m_index->container(box);
    if (!found && container != -1)
        found = m_index->container(container);
    if (!found)
        return {};
    return toViewport({found->rect.center().x, found->rect.y + found->headerHeight / 2});
}

void GraphCanvas::hold(std::int64_t box, std::int64_t container, std::optional<QPointF> at) {
    if (!at)
        at = placeOf(box, container);
    if (at)
        m_held = {box, container, *at};
}

void GraphCanvas::changeLook() {
    ++m_look;
    viewport()->update();
}

void GraphCanvas::setSelected(const Ids& ids) {
    std::set<std::int64_t> known;
    for (const std::int64_t id : ids)
        if (m_index->box(id))
            known.insert(id);
    if (known == m_selected)
        return;
    m_selected = std::move(known);
    if (!m_selected.contains(m_focus))
        m_focus = m_selected.empty() ? -1 : *m_selected.begin();
    m_cameFrom = -1;
    refreshEmphasis();
    describe();
    changeLook();
}

void GraphCanvas::changeSelection(std::set<std::int64_t> ids, std::int64_t focus) {
    std::erase_if(ids, [&](std::int64_t id) { return isHidden(id); });
    m_focus = ids.contains(focus) ? focus : ids.empty() ? -1 : *ids.begin();
    if (ids == m_selected)
        return describe();
    m_selected = std::move(ids);
    refreshEmphasis();
    describe();
    changeLook();
    Q_EMIT selectionChanged(selected());
}

void GraphCanvas::refreshEmphasis() {
    m_wholeContainers.clear();
    m_emphasised.assign(m_picture ? m_picture->links.size() : 0, 0);
    if (!m_picture)
        return;
    std::map<std::int64_t, std::pair<std::size_t, std::size_t>> counts; // members, selected ones
    for (const picture::PlacedBox& box : m_picture->boxes)
        for (std::int64_t around = box.container; around != -1;
             around = m_index->container(around)->parent) {
            auto& [all, chosen] = counts[around];
            ++all;
            chosen += m_selected.contains(box.id) ? 1 : 0;
        }
    for (const auto& [id, count] : counts)
        if (count.first == count.second && count.first > 1)
            m_wholeContainers.insert(id);
    for (std::size_t e = 0; e < m_picture->links.size(); ++e)
        m_emphasised[e] = m_selected.contains(m_picture->links[e].from) ||
                          m_selected.contains(m_picture->links[e].to);
}

// What a screen reader says about the selection.
void GraphCanvas::describe() {
    QString text;
    if (!m_picture) {
        text = tr("no graph");
    } else if (const picture::PlacedBox* box = m_index->box(m_focus);
               box && m_selected.size() == 1) {
        text = tr("%1, producers: %2, consumers: %3")
                   .arg(QString::fromUtf8(box->label))
                   .arg(m_index->producers(m_focus).size())
                   .arg(m_index->consumers(m_focus).size());
    } else {
        text = tr("%1 boxes, %2 selected").arg(m_picture->boxes.size()).arg(m_selected.size());
    }
    if (text == accessibleDescription())
        return;
    setAccessibleDescription(text);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

void GraphCanvas::setHeat(HeatOf boxes, HeatOf containers, const QString& most, HeatScale scale) {
    if (boxes == m_heat && containers == m_containerHeat && most == m_heatMost &&
        scale == m_heatScale)
        return;
    m_heatScale = scale;
    m_heat = std::move(boxes);
    m_containerHeat = std::move(containers);
    m_heatMost = most;
    m_minimap = QPixmap();
    changeLook();
}

void GraphCanvas::setTheme(ThemeKind theme) {
    m_theme = theme;
    m_minimap = QPixmap();
    changeLook();
}

void GraphCanvas::setMinimapShown(bool shown) {
    m_minimapShown = shown;
    viewport()->update();
}

// --- mouse

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton || event->button() == Qt::ForwardButton)
        return event->ignore(); // the window goes through its history
    m_pressed = m_current = event->position();
    m_dragOffset = m_offset;
    m_pressModifiers = event->modifiers();
    if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::Pan;
    } else if (event->button() == Qt::LeftButton) {
        m_drag = minimapRect().contains(m_pressed) ? Drag::Minimap : Drag::Press;
        if (m_drag == Drag::Minimap)
            mouseMoveEvent(event);
    }
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    m_current = event->position();
    if (m_drag == Drag::Press && (m_current - m_pressed).manhattanLength() >= 5) {
        m_drag = m_pressModifiers & Qt::ShiftModifier     ? Drag::Select
                 : m_pressModifiers & Qt::ControlModifier ? Drag::Zoom
                                                          : Drag::Pan;
        if (m_drag == Drag::Pan)
            viewport()->setCursor(Qt::ClosedHandCursor);
    }
    switch (m_drag) {
    case Drag::None: {
        const picture::Owner owner = ownerAt(m_current);
        hover(owner.kind == picture::OwnerKind::Box ? owner.id : -1);
        break;
    }
    case Drag::Press:
        break;
    case Drag::Pan:
        moveTo(m_dragOffset - (m_current - m_pressed));
        break;
    case Drag::Select:
    case Drag::Zoom:
        viewport()->update();
        break;
    case Drag::Minimap: {
        const QRectF map = minimapRect();
        const QPointF part((m_current.x() - map.x()) / map.width(),
                           (m_current.y() - map.y()) / map.height());
        moveTo(QPointF(part.x() * m_picture->width, part.y() * m_picture->height) * m_scale -
               QRectF(viewport()->rect()).center());
        break;
    }
    }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton || event->button() == Qt::ForwardButton)
        return event->ignore();
    const Drag drag = std::exchange(m_drag, Drag::None);
    viewport()->unsetCursor();
    m_current = event->position();
    const picture::Point a = toScene(m_pressed), b = toScene(m_current);
    const picture::Rect band{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x),
                             std::abs(a.y - b.y)};
    if (const std::int64_t opened = openerAt(m_pressed);
        drag == Drag::Press && opened != -1 && m_pressModifiers == Qt::NoModifier) {
        Q_EMIT activated(opened, nodeCenter(opened));
    } else if (drag == Drag::Press) {
        click(m_pressed, m_pressModifiers);
    } else if (drag == Drag::Select) {
        const Ids inside = m_index->boxesIn(band);
        std::set<std::int64_t> ids(inside.begin(), inside.end());
        if (m_pressModifiers & Qt::ControlModifier)
            ids.insert(m_selected.begin(), m_selected.end());
        changeSelection(std::move(ids), inside.empty() ? -1 : inside.front());
    } else if (drag == Drag::Zoom) {
        zoomTo(band, largestScale);
    }
    viewport()->update();
}

std::int64_t GraphCanvas::openerAt(QPointF at) const {
    const picture::Owner owner = ownerAt(at);
    const picture::PlacedBox* box =
        owner.kind == picture::OwnerKind::Box ? m_index->box(owner.id) : nullptr;
    return box && box->opener.width > 0 && box->opener.contains(toScene(at)) ? box->id : -1;
}

// A box, all of a container, both ends of an edge, what is behind a cut; empty: the background.
Ids GraphCanvas::idsAt(QPointF at) const {
    const picture::Owner owner = ownerAt(at);
    switch (owner.kind) {
    case picture::OwnerKind::None:
        break;
    case picture::OwnerKind::Box:
        return {owner.id};
    case picture::OwnerKind::Container:
        return m_index->members(owner.id);
    case picture::OwnerKind::Leaving:
        return {m_picture->links[static_cast<std::size_t>(owner.id)].to};
    case picture::OwnerKind::Arriving:
        return {m_picture->links[static_cast<std::size_t>(owner.id)].from};
    case picture::OwnerKind::Edge: {
        const picture::Link& link = m_picture->links[static_cast<std::size_t>(owner.id)];
        return {link.from, link.to};
    }
    }
    return {};
}

void GraphCanvas::click(QPointF at, Qt::KeyboardModifiers modifiers) {
    const Ids ids = idsAt(at);
    m_cameFrom = -1;
    const picture::Owner owner = ownerAt(at);
    m_clickedContainer = owner.kind == picture::OwnerKind::Container ? owner.id : -1;
    std::set<std::int64_t> next;
    if (modifiers & (Qt::ControlModifier | Qt::ShiftModifier)) {
        if (ids.empty())
            return;
        next = m_selected;
        const bool all = std::all_of(ids.begin(), ids.end(),
                                     [&](std::int64_t id) { return m_selected.contains(id); });
        for (const std::int64_t id : ids) {
            if (all && modifiers & Qt::ControlModifier)
                next.erase(id);
            else
                next.insert(id);
        }
    } else {
        next.insert(ids.begin(), ids.end());
    }
    const std::int64_t focus = ids.empty() ? -1 : ids.front();
    changeSelection(std::move(next), focus);
    if (owner.kind == picture::OwnerKind::Leaving || owner.kind == picture::OwnerKind::Arriving)
        reveal(focus); // where the line would lead
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || openerAt(event->position()) != -1)
        return; // its first click did it
    const picture::Owner owner = ownerAt(event->position());
    if (owner.kind == picture::OwnerKind::Box)
        Q_EMIT activated(owner.id, event->position());
    else if (owner.kind == picture::OwnerKind::Container)
        Q_EMIT containerActivated(owner.id, event->position());
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ControlModifier) {
        zoomAround(event->position(), m_scale * std::pow(1.25, event->angleDelta().y() / 120.0));
    } else {
        QPointF by = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) * 0.6
                                                  : QPointF(event->pixelDelta());
        if (event->modifiers() & Qt::ShiftModifier)
            by = by.transposed();
        moveTo(scrolled(by));
    }
    event->accept();
}

void GraphCanvas::hover(std::int64_t id) {
    if (id == m_hovered)
        return;
    m_hovered = id;
    changeLook();
    Q_EMIT hovered(id);
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    QPoint at = event->pos();
    std::int64_t id = -1;
    if (event->reason() == QContextMenuEvent::Keyboard) {
        id = m_focus;
        if (id != -1)
            reveal(id);
        at = id == -1 ? viewport()->rect().center() : nodeCenter(id);
        if (id != -1 && !m_selected.contains(id))
            changeSelection({id}, id);
    } else {
        // The menu is about what lies below it, as after a click there.
        const Ids ids = idsAt(at);
        id = ids.size() == 1 ? ids.front() : -1;
        const bool selected =
            !ids.empty() && std::all_of(ids.begin(), ids.end(),
                                        [&](std::int64_t one) { return m_selected.contains(one); });
        if (!selected)
            click(at, {});
    }
    Q_EMIT menuRequested(id, viewport()->mapToGlobal(at));
}

QString GraphCanvas::tipAt(QPointF at) const {
    const picture::Owner owner = ownerAt(at);
    if (owner.kind == picture::OwnerKind::Box)
        return QString::fromUtf8(m_index->box(owner.id)->label);
    if (owner.kind == picture::OwnerKind::Edge || owner.kind == picture::OwnerKind::Leaving ||
        owner.kind == picture::OwnerKind::Arriving) {
        const picture::Link& link = m_picture->links[static_cast<std::size_t>(owner.id)];
        const picture::PlacedBox* from = m_index->box(link.from);
        const picture::PlacedBox* to = m_index->box(link.to);
        if (from && to)
            return QString::fromUtf8(from->label) + QStringLiteral(" → ") +
                   QString::fromUtf8(to->label);
    }
    return {};
}

bool GraphCanvas::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        // Names come from the model: shown as plain text, never as rich text.
        const QString tip = tipAt(help->pos()).toHtmlEscaped();
        QToolTip::showText(help->globalPos(), tip, viewport());
        return true;
    }
    if (event->type() == QEvent::Leave)
        hover(-1);
    if (gesture(event))
        return true;
    return QAbstractScrollArea::viewportEvent(event);
}

// --- keys

void GraphCanvas::walk(Direction direction, Qt::KeyboardModifiers modifiers) {
    if (!m_picture || m_picture->boxes.empty())
        return;
    std::int64_t next = -1;
    if (m_focus == -1) {
        const picture::Rect view = visibleScene();
        const Ids visible = m_index->boxesIn(view);
        next = visible.empty() ? m_picture->boxes.front().id : visible.front();
    } else {
        next = m_index->walk(m_focus, direction, m_cameFrom);
        for (std::int64_t from = m_focus; next != -1 && isHidden(next);) {
            const std::int64_t behind = m_index->walk(next, direction, from);
            from = std::exchange(next, behind == from ? -1 : behind);
        }
    }
    if (next == -1 || isHidden(next))
        return;
    m_cameFrom = m_focus;
    m_clickedContainer = -1;
    std::set<std::int64_t> ids{next};
    if (modifiers & Qt::ShiftModifier)
        ids.insert(m_selected.begin(), m_selected.end());
    changeSelection(std::move(ids), next);
    reveal(next);
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) {
        event->ignore();
        return;
    }
    switch (event->key()) {
    case Qt::Key_Up:
        return walk(Direction::Up, event->modifiers());
    case Qt::Key_Down:
        return walk(Direction::Down, event->modifiers());
    case Qt::Key_Left:
        return walk(Direction::Left, event->modifiers());
    case Qt::Key_Right:
        return walk(Direction::Right, event->modifiers());
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_clickedContainer != -1 && m_wholeContainers.contains(m_clickedContainer))
            Q_EMIT containerActivated(m_clickedContainer,
                                      *placeOf(m_clickedContainer, m_clickedContainer));
        else if (m_focus != -1 && event->modifiers() & Qt::ShiftModifier)
            Q_EMIT wholeActivated(m_focus, nodeCenter(m_focus));
        else if (m_focus != -1)
            Q_EMIT activated(m_focus, nodeCenter(m_focus));
        return;
    case Qt::Key_Backspace:
        return Q_EMIT leaveWanted();
    case Qt::Key_Space:
    case Qt::Key_F:
        return fitSelection();
    case Qt::Key_0:
        return setScale(usualScale());
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return setScale(m_scale * 1.25);
    case Qt::Key_Minus:
        return setScale(m_scale / 1.25);
    case Qt::Key_M:
        return setMinimapShown(!m_minimapShown);
    case Qt::Key_T:
        return Q_EMIT traceWanted();
    case Qt::Key_I:
        return Q_EMIT aroundWanted(event->modifiers() & Qt::ShiftModifier ? -1 : +1);
    case Qt::Key_H:
        return Q_EMIT filterWanted(event->modifiers() & Qt::ShiftModifier ? Filtering::Everything
                                                                          : Filtering::Hide);
    case Qt::Key_O:
        return Q_EMIT filterWanted(Filtering::Only);
    case Qt::Key_Escape:
        if (m_lit || m_part == Part::Some)
            return Q_EMIT escaped();
        if (!m_selected.empty())
            return changeSelection({}, -1);
        break;
    default:
        break;
    }
    event->ignore(); // single letters that mean nothing here belong to the window
}

} // namespace fw::ui
