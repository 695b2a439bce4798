// Halos are painted over the items, so they change without painting those anew.
#include "views/graph/canvas.h"

#include <QPainter>

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
    viewport()->update();
}

void GraphCanvas::paintHalos(QPainter& painter) const {
    const QRectF view = viewport()->rect();
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
            if (!badge)
                continue;
            painter.setFont(Theme::textFont(10, QFont::Bold));
            const double width = painter.fontMetrics().horizontalAdvance(halo.badge) + 10;
            const QRectF pill(frame.right() - width, frame.top() - 9, width, 15);
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour(stroke.colour));
            painter.drawRoundedRect(pill, 7, 7);
            painter.setPen(colour(Colour::Canvas));
            painter.drawText(pill, Qt::AlignCenter, halo.badge);
        }
    }
}

} // namespace fw::ui
