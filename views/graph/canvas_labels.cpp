// Names of blocks over a picture that is too small for its own texts, as on a map: outer ones
// first, each where there is room for it, always at a size that can be read.
#include "views/graph/canvas.h"

#include "snapshot/hierarchy.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fw::ui {

namespace {

constexpr double blockScale = 0.5, groupScale = 0.3; // below, their own titles are too small
constexpr double leastWidth = 26;                    // of a block, in pixels, that gets a name
constexpr std::size_t mostLabels = 400;

struct Label {
    QRectF place; // of the block, in the viewport
    std::string_view text;
    picture::Owner owner;
    double depth = 0;
};

} // namespace

std::vector<GraphCanvas::MapLabel> GraphCanvas::mapLabels() const {
    std::vector<MapLabel> out;
    if (!m_picture || m_scale >= blockScale)
        return out;
    const QRectF view = viewport()->rect();
    std::vector<Label> wanted;
    const auto add = [&](const picture::Rect& rect, std::string_view text, picture::Owner owner,
                         double depth) {
        const QRectF place(toViewport({rect.x, rect.y}), QSizeF(rect.width, rect.height) * m_scale);
        if (place.width() >= leastWidth && place.intersects(view) && !text.empty())
            wanted.push_back({place, text, owner, depth});
    };
    for (const picture::PlacedContainer& container : m_picture->containers) {
        if (m_hidden.containers.contains(container.id) ||
            (container.kind == picture::ContainerKind::Group && m_scale >= groupScale))
            continue;
        double depth = 0;
        for (auto around = container.parent; around != -1;
             around = m_index->container(around)->parent)
            ++depth;
        add(container.rect, container.label, {picture::OwnerKind::Container, container.id}, depth);
    }
    for (const picture::PlacedBox& box : m_picture->boxes)
        if (snapshot::isBlock(box.id) && !isHidden(box.id))
            add(box.rect, box.title, {picture::OwnerKind::Box, box.id}, 100);
    std::stable_sort(wanted.begin(), wanted.end(), [](const Label& a, const Label& b) {
        return a.depth != b.depth ? a.depth < b.depth : a.place.width() > b.place.width();
    });
    const QFontMetricsF metrics(Theme::textFont(11, QFont::Bold));
    for (const Label& label : wanted) {
        if (out.size() == mostLabels)
            break;
        const double most = std::max(label.place.width() - 4, 90.0);
        const QString text =
            metrics.elidedText(QString::fromUtf8(label.text), Qt::ElideMiddle, most);
        const QSizeF size(metrics.horizontalAdvance(text) + 8, metrics.height() + 1);
        QRectF place(label.place.topLeft() + QPointF(2, 2), size); // in the corner of an open one
        if (label.owner.kind == picture::OwnerKind::Box || label.place.height() < 3 * size.height())
            place.moveCenter(label.place.center());
        const bool free = std::none_of(out.begin(), out.end(), [&](const MapLabel& other) {
            return other.place.intersects(place);
        });
        if (free)
            out.push_back({place, text, isDimmed(label.owner)});
    }
    return out;
}

bool GraphCanvas::isUnderLabel(const picture::Owner& owner) const {
    return m_scale < blockScale && snapshot::isBlock(owner.id) &&
           (owner.kind == picture::OwnerKind::Box || owner.kind == picture::OwnerKind::Container);
}

void GraphCanvas::paintMapLabels(QPainter& painter) const {
    QColor behind = colour(Colour::Canvas);
    behind.setAlpha(225);
    painter.setFont(Theme::textFont(11, QFont::Bold));
    for (const MapLabel& label : mapLabels()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(behind);
        painter.drawRoundedRect(label.place, 4, 4);
        painter.setPen(colour(label.dimmed ? Colour::Line : Colour::Text));
        painter.drawText(label.place, Qt::AlignCenter, label.text);
    }
}

} // namespace fw::ui
