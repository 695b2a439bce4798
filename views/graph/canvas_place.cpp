// Which part of the picture the canvas shows, and what room there is for it beside the legend and
// the minimap.
#include "views/graph/canvas.h"

#include <QResizeEvent>

#include <algorithm>
#include <cmath>

namespace fw::ui {
namespace {

constexpr double leastScale = 0.03;
constexpr double narrowView = 400, mapMargin = 10; // pixels

QPointF pointOf(picture::Point p) {
    return {p.x, p.y};
}

} // namespace

// The top of the graph at a size that can be read; the whole of it if that is possible.
void GraphCanvas::showStart() {
    m_startPending = !isVisible();
    if (!m_picture)
        return;
    const double height = viewport()->height() - legendHeight();
    const auto readable = [&](double width) {
        const double wide = width / m_picture->width,
                     whole = std::min(wide, height / m_picture->height);
        const double least = 0.7 * usualScale();
        return std::clamp(whole >= least ? whole : wide, least, usualScale());
    };
    m_scale = readable(viewport()->width());
    if (mapColumn() > 0)
        m_scale = readable(viewport()->width() - mapColumn());
    const QRectF room = freeRect();
    double middle = m_picture->width / 2;
    if (m_picture->width * m_scale > room.width()) {
        const picture::PlacedBox* first = nullptr;
        for (const picture::PlacedBox& box : m_picture->boxes)
            if (!first || box.rect.y < first->rect.y)
                first = &box;
        if (first)
            middle = first->rect.center().x;
    }
    moveTo({middle * m_scale - room.center().x(), 0});
    m_atStart = true;
    Q_EMIT scaleChanged(m_scale);
}

double GraphCanvas::usualScale() {
    return Theme::fontScale();
}

picture::Point GraphCanvas::toScene(QPointF at) const {
    const QPointF p = (at + m_offset) / m_scale;
    return {p.x(), p.y()};
}

QPointF GraphCanvas::toViewport(picture::Point scene) const {
    return pointOf(scene) * m_scale - m_offset;
}

picture::Rect GraphCanvas::visibleScene() const {
    const picture::Point corner = toScene({0, 0});
    return {corner.x, corner.y, viewport()->width() / m_scale, viewport()->height() / m_scale};
}

QRectF GraphCanvas::nodeRect(std::int64_t id) const {
    const picture::PlacedBox* box = m_index->box(id);
    if (!box)
        return {};
    return {toViewport({box->rect.x, box->rect.y}),
            QSizeF(box->rect.width, box->rect.height) * m_scale};
}

QPoint GraphCanvas::nodeCenter(std::int64_t id) const {
    const QRectF rect = nodeRect(id);
    return rect.isNull() ? QPoint(-1, -1) : rect.center().toPoint();
}

void GraphCanvas::moveTo(QPointF offset) {
    if (m_picture) {
        const double keep = 60; // so much of the picture stays in view
        const double right = m_picture->width * m_scale, bottom = m_picture->height * m_scale;
        offset.setX(
            std::clamp(offset.x(), keep - viewport()->width(), std::max(right - keep, 0.0)));
        offset.setY(
            std::clamp(offset.y(), keep - viewport()->height(), std::max(bottom - keep, 0.0)));
    }
    m_atStart = false;
    m_offset = {std::round(offset.x()), std::round(offset.y())};
    viewport()->update();
    Q_EMIT moved();
}

// A turn of the wheel ends where the view would be half empty: behind that lies nothing to look
// for.
QPointF GraphCanvas::scrolled(QPointF by) const {
    const QPointF wanted = m_offset - by;
    if (!m_picture)
        return wanted;
    const auto within = [](double wanted, double now, double view, double size) {
        const double kept = std::min(size, view / 2);
        return std::clamp(wanted, std::min(kept - view, now), std::max(size - kept, now));
    };
    return {within(wanted.x(), m_offset.x(), viewport()->width(), m_picture->width * m_scale),
            within(wanted.y(), m_offset.y(), viewport()->height(), m_picture->height * m_scale)};
}

void GraphCanvas::zoomAround(QPointF at, double scale) {
    const double next = std::clamp(scale, leastScale, largestScale);
    if (next == m_scale)
        return;
    const QPointF scene = (at + m_offset) / m_scale;
    m_scale = next;
    moveTo(scene * m_scale - at);
    Q_EMIT scaleChanged(m_scale);
}

void GraphCanvas::setScale(double scale) {
    zoomAround(QRectF(viewport()->rect()).center(), scale);
}

void GraphCanvas::zoomTo(const picture::Rect& rect, double largest) {
    const double border = 16;
    const auto fit = [&](QSizeF room) {
        return std::clamp(
            std::min(std::max(room.width() - 2 * border, 20.0) / std::max(rect.width, 1.0),
                     std::max(room.height() - 2 * border, 20.0) / std::max(rect.height, 1.0)),
            leastScale, largest);
    };
    const QSizeF all(viewport()->width(), viewport()->height() - legendHeight());
    m_scale = fit(all);
    if (mapColumn() > 0)
        m_scale = fit(all - QSizeF(mapColumn(), 0));
    moveTo(pointOf(rect.center()) * m_scale - freeRect().center());
    Q_EMIT scaleChanged(m_scale);
}

void GraphCanvas::fitAll() {
    if (m_picture)
        zoomTo({0, 0, m_picture->width, m_picture->height}, 1.5 * usualScale());
}

void GraphCanvas::fitReadable(std::int64_t box) {
    fitAll();
    const double least = 0.8 * usualScale();
    if (!m_picture || m_scale >= least)
        return;
    m_scale = least;
    if (m_index->box(box))
        centerOn(box);
    else
        moveTo({m_picture->width / 2 * m_scale - freeRect().center().x(), 0});
    Q_EMIT scaleChanged(m_scale);
}

void GraphCanvas::fitSelection() {
    if (m_selected.empty())
        return fitAll();
    fitBoxes(selected(), leastScale);
}

void GraphCanvas::fitBoxes(const Ids& ids, double least) {
    double x0 = 1e30, y0 = 1e30, x1 = -1e30, y1 = -1e30;
    for (const std::int64_t id : ids) {
        const picture::PlacedBox* box = m_index->box(id);
        if (!box)
            continue;
        x0 = std::min(x0, box->rect.x - 40);
        y0 = std::min(y0, box->rect.y - 40);
        x1 = std::max(x1, box->rect.right() + 40);
        y1 = std::max(y1, box->rect.bottom() + 40);
    }
    if (x1 < x0)
        return fitAll();
    zoomTo({x0, y0, x1 - x0, y1 - y0}, 1.5 * usualScale());
    if (m_scale < least)
        setScale(least);
}

void GraphCanvas::fitContainer(std::int64_t id) {
    const picture::PlacedContainer* container = m_index->container(id);
    if (!container)
        return fitAll();
    zoomTo(container->rect, 1.5 * usualScale());
}

void GraphCanvas::centerOn(std::int64_t id) {
    if (const picture::PlacedBox* box = m_index->box(id))
        moveTo(pointOf(box->rect.center()) * m_scale - freeRect().center());
}

void GraphCanvas::reveal(std::int64_t id) {
    const QRectF rect = nodeRect(id);
    const QRectF view = freeRect();
    const QRectF middle = view.adjusted(view.width() * 0.05, view.height() * 0.05,
                                        -view.width() * 0.05, -view.height() * 0.05);
    if (!rect.isNull() && !middle.contains(rect))
        centerOn(id);
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    if ((m_startPending && isVisible()) || m_atStart)
        showStart();
    else
        // What is in the middle stays there.
        moveTo(m_offset - QPointF(event->oldSize().isValid()
                                      ? (event->size().width() - event->oldSize().width()) / 2.0
                                      : 0,
                                  0));
}

// --- what lies over it

QSizeF GraphCanvas::minimapSize() const {
    if (!m_minimapShown || !m_picture || m_picture->boxes.empty())
        return {};
    const QSize view = viewport()->size();
    if (view.width() < 240 || view.height() < 180)
        return {};
    const double widest = std::min(view.width() * 0.24, 130.0); // what is below stays readable
    const double highest = std::min(view.height() * 0.5, 220.0);
    const double scale = std::min(widest / m_picture->width, highest / m_picture->height);
    const QSizeF size(std::max(m_picture->width * scale, 24.0),
                      std::max(m_picture->height * scale, 24.0));
    // Beside the picture or not at all, where there is little room.
    if (view.width() < narrowView &&
        m_picture->width * m_scale + 2 * (size.width() + 2 * mapMargin) > view.width())
        return {};
    return size;
}

QRectF GraphCanvas::minimapRect() const {
    const QSizeF size = minimapSize();
    if (size.isEmpty() ||
        visibleScene().contains(picture::Rect{0, 0, m_picture->width, m_picture->height}))
        return {};
    return {QPointF(viewport()->width() - size.width() - mapMargin, mapMargin), size};
}

// At this scale; a picture in the middle that does not reach the map needs none.
double GraphCanvas::mapColumn() const {
    const QSizeF size = minimapSize();
    if (size.isEmpty())
        return 0;
    const double width = m_picture->width * m_scale, column = size.width() + 2 * mapMargin;
    const bool whole = width <= viewport()->width() &&
                       m_picture->height * m_scale <= viewport()->height() - legendHeight();
    return whole || width + 2 * column <= viewport()->width() ? 0 : column;
}

QRectF GraphCanvas::freeRect() const {
    return {0, 0, viewport()->width() - mapColumn(), viewport()->height() - legendHeight()};
}

Legend GraphCanvas::legend() const {
    Legend out;
    out.makers = m_makers;
    if (!m_heat.empty())
        out.heatMost = m_heatMost;
    if (m_picture)
        out.edges = m_picture->edgeKinds;
    out.heatHasSigns = m_heatScale == HeatScale::BothWays;
    return out;
}

double GraphCanvas::legendHeight() const {
    return viewport()->height() >= 120 ? ui::legendHeight(legend(), viewport()->width()) : 0;
}

} // namespace fw::ui
