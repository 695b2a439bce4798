// Halos are painted over the items, so they change without painting those anew.
#include "views/graph/canvas.h"

#include <QPainter>

#include <algorithm>
#include <set>

namespace fw::ui {

namespace {

constexpr double gap = 4; // between a box and its halo, in pixels
constexpr double badgeScale = 0.2;

struct Stroke {
    Colour colour;
    double width;
    Qt::PenStyle style;
};

Stroke strokeOf(Halo::Look look) {
    switch (look) {
    case Halo::Look::Current:
        return {Colour::Match, 3.5, Qt::SolidLine};
    case Halo::Look::NearMiss:
        return {Colour::NearMiss, 2, Qt::DashLine};
    case Halo::Look::Stale:
        return {Colour::Muted, 1.5, Qt::DotLine};
    case Halo::Look::Bound:
        return {Colour::Changed, 3, Qt::SolidLine};
    case Halo::Look::Created:
        return {Colour::Created, 2, Qt::SolidLine};
    case Halo::Look::Erased:
        return {Colour::Failing, 2, Qt::DashLine};
    case Halo::Look::Way:
        return {Colour::Failing, 2, Qt::SolidLine};
    case Halo::Look::Changed:
        return {Colour::Changed, 2, Qt::SolidLine};
    case Halo::Look::Match:
        break;
    }
    return {Colour::Match, 2, Qt::SolidLine};
}

} // namespace

void GraphCanvas::setHalos(std::vector<Halo> halos) {
    if (halos == m_halos)
        return;
    m_halos = std::move(halos);
    if (refreshWay())
        changeLook();
    viewport()->update();
}

bool GraphCanvas::refreshWay() {
    std::set<std::pair<std::int64_t, std::int64_t>> steps;
    for (const Halo& halo : m_halos)
        if (halo.look == Halo::Look::Way)
            for (std::size_t i = 1; i < halo.ids.size(); ++i)
                steps.emplace(halo.ids[i - 1], halo.ids[i]);
    std::vector<char> onWay;
    if (m_picture && !steps.empty()) {
        onWay.reserve(m_picture->links.size());
        for (const auto& link : m_picture->links)
            onWay.push_back(steps.contains({link.from, link.to}) ? 1 : 0);
    }
    if (onWay == m_onWay)
        return false;
    m_onWay = std::move(onWay);
    return true;
}

// What stands on edges has a place beside boxes, and some of it where their halos come.
void GraphCanvas::paintLabelsOver(QPainter& painter, const std::vector<QRectF>& halos) const {
    if (halos.empty())
        return;
    painter.save();
    prepare(painter);
    for (const std::uint32_t i : m_items) {
        const auto* text = std::get_if<picture::TextItem>(&m_picture->items[i]);
        if (!text || text->role != picture::TextRole::EdgeLabel || isHidden(text->owner) ||
            !isReadable(*text))
            continue;
        const picture::Rect place = boundsOf(*text);
        const QRectF seen(toViewport({place.x, place.y}),
                          QSizeF(place.width, place.height) * m_scale);
        if (std::none_of(halos.begin(), halos.end(),
                         [&](const QRectF& halo) { return halo.intersects(seen); }))
            continue;
        painter.fillRect(QRectF(place.x, place.y, place.width, place.height),
                         colour(Colour::Canvas));
        paintText(painter, *text);
    }
    painter.restore();
}

void GraphCanvas::paintHalos(QPainter& painter) const {
    const QRectF view = viewport()->rect();
    std::vector<QRectF> painted;
    painter.setBrush(Qt::NoBrush);
    for (const Halo& halo : m_halos) {
        const Stroke stroke = strokeOf(halo.look);
        bool first = true;
        for (const std::int64_t id : halo.ids) {
            const QRectF box = nodeRect(id);
            if (box.isNull())
                continue;
            const QRectF frame = box.adjusted(-gap, -gap, gap, gap);
            const bool badge = first && !halo.badge.isEmpty() && m_scale >= badgeScale;
            first = false;
            if (!frame.adjusted(-2, -16, 60, 2).intersects(view))
                continue;
            painter.setPen(QPen(colour(stroke.colour), stroke.width, stroke.style));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(frame, 7, 7);
            painted.push_back(frame.adjusted(-2, -2, 2, 2));
            if (!badge)
                continue;
            painter.setFont(Theme::textFont(10, QFont::Bold));
            const double width = painter.fontMetrics().horizontalAdvance(halo.badge) + 10;
            const double height = std::max(15.0, painter.fontMetrics().height() + 2.0);
            const QRectF pill(frame.right() - width, frame.top() + 6 - height, width, height);
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour(stroke.colour));
            painter.drawRoundedRect(pill, 7, 7);
            painter.setPen(colour(Colour::Canvas));
            painter.drawText(pill, Qt::AlignCenter, halo.badge);
        }
    }
    paintLabelsOver(painter, painted);
}

void GraphCanvas::paintFocus(QPainter& painter) const {
    if (!hasFocus())
        return;
    constexpr double beside = gap + 4; // outside of any halo
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour(Colour::Accent), 1));
    painter.drawRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    if (const QRectF box = nodeRect(m_focus); !box.isNull()) {
        painter.setPen(QPen(colour(Colour::Text), 1.5, Qt::DotLine));
        painter.drawRoundedRect(box.adjusted(-beside, -beside, beside, beside), 9, 9);
    }
}

void GraphCanvas::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void GraphCanvas::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace fw::ui
