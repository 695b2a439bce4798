// What the canvas looks like. Details go first when the scale falls: rounded corners and small
// text, then all text, then arrow heads; colours come from the palette only.
#include "views/graph/canvas.h"
#include "views/graph/legend.h"

#include <QElapsedTimer>
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTimer>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw::ui {
namespace {

constexpr double textScale = 0.42, titleScale = 0.3, plainScale = 0.2;
constexpr std::size_t paintedAtOnce = 2000; // items

QRectF toQt(const picture::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

QPainterPath pathOf(const picture::PathItem& item) {
    QPainterPath path;
    const auto at = [&](std::size_t i) { return QPointF(item.points[i].x, item.points[i].y); };
    path.moveTo(at(0));
    for (std::size_t i = 1; i + 2 < item.points.size(); i += 3)
        path.cubicTo(at(i), at(i + 1), at(i + 2));
    return path;
}

} // namespace

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), colour(Colour::Canvas));
    if (!m_picture)
        return;
    paintItems(painter);

    painter.setRenderHint(QPainter::Antialiasing);
    paintMapLabels(painter);
    paintHalos(painter);
    paintFocus(painter);
    if (m_drag == Drag::Select || m_drag == Drag::Zoom) {
        QColor fill = colour(Colour::Accent);
        fill.setAlpha(28);
        painter.setPen(
            QPen(colour(Colour::Accent), 1, m_drag == Drag::Zoom ? Qt::DashLine : Qt::SolidLine));
        painter.setBrush(fill);
        painter.drawRect(QRectF(m_pressed, m_current).normalized());
    }
    paintLegend(painter);
    paintMinimap(painter);
}

GraphCanvas::View GraphCanvas::view() const {
    return {m_offset, m_scale, viewport()->size(), m_look};
}

bool GraphCanvas::complete() const {
    View place = view();
    place.look = 0;
    return !m_picture ||
           (m_itemsView == place && (m_items.size() <= paintedAtOnce || m_shown.view == view()));
}

void GraphCanvas::prepare(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing, m_scale >= plainScale);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.translate(-m_offset);
    painter.scale(m_scale, m_scale);
}

void GraphCanvas::paintItems(QPainter& painter) {
    View place = view();
    place.look = 0;
    if (!(place == m_itemsView)) {
        m_items =
            m_index->itemsIn(visibleScene(), m_scale < titleScale ? Detail::Shapes : Detail::All);
        m_itemsView = place;
    }
    if (m_items.size() <= paintedAtOnce || m_painting == Painting::AtOnce) {
        painter.save();
        prepare(painter);
        for (const std::uint32_t i : m_items)
            paintItem(painter, m_picture->items[i]);
        painter.restore();
        return;
    }
    if (!(m_shown.view == view()))
        paintSlice();
    showLayer(painter, m_shown.image.isNull() ? m_made : m_shown);
}

// Paints for a moment into the layer that is being made, and asks for more if it is not complete.
void GraphCanvas::paintSlice() {
    constexpr int sliceMs = 30;
    QElapsedTimer timer;
    timer.start();
    if (m_made.image.isNull() || !(m_made.view == view())) {
        const double ratio = devicePixelRatioF();
        m_made.view = view();
        m_made.image = QImage((QSizeF(viewport()->size()) * ratio).toSize(), QImage::Format_RGB32);
        m_made.image.setDevicePixelRatio(ratio);
        m_made.image.fill(colour(Colour::Canvas));
        m_painted = 0;
    }
    QPainter painter(&m_made.image);
    prepare(painter);
    for (; m_painted < m_items.size() && timer.elapsed() < sliceMs; ++m_painted)
        paintItem(painter, m_picture->items[m_items[m_painted]]);
    painter.end();
    if (m_painted == m_items.size())
        m_shown = std::exchange(m_made, {});
    else
        QTimer::singleShot(0, viewport(), qOverload<>(&QWidget::update));
}

// A layer of another view stands where its part of the scene is now.
void GraphCanvas::showLayer(QPainter& painter, const Layer& layer) const {
    const double grown = m_scale / layer.view.scale;
    const QRectF place(layer.view.offset * grown - m_offset, QSizeF(layer.view.size) * grown);
    painter.drawImage(place, layer.image);
}

void GraphCanvas::paintItem(QPainter& painter, const picture::Item& item) const {
    constexpr double dimmed = 0.22;
    if (m_lit) {
        const picture::Owner owner = std::visit([](const auto& one) { return one.owner; }, item);
        const auto* path = std::get_if<picture::PathItem>(&item);
        const bool dim = path ? std::all_of(path->edges.begin(), path->edges.end(),
                                            [&](std::uint32_t e) { return m_dimmedEdges[e] != 0; })
                              : isDimmed(owner);
        painter.setOpacity(dim ? dimmed : 1);
    }
    if (const auto* rect = std::get_if<picture::RectItem>(&item)) {
        if (!isHidden(rect->owner))
            paintRect(painter, *rect);
    } else if (const auto* text = std::get_if<picture::TextItem>(&item)) {
        if (!isHidden(text->owner))
            paintText(painter, *text);
    } else if (const auto& path = std::get<picture::PathItem>(item);
               !std::all_of(path.edges.begin(), path.edges.end(),
                            [&](std::uint32_t e) { return m_hiddenEdges[e] != 0; })) {
        paintPath(painter, path);
    }
}

void GraphCanvas::paintRect(QPainter& painter, const picture::RectItem& item) const {
    const bool box = item.owner.kind == picture::OwnerKind::Box && item.radius > 3; // not a chip
    QColor fill = colour(item.fill), line = colour(item.line);
    double width = item.lineWidth;
    Qt::PenStyle style = item.dash == picture::Dash::Solid ? Qt::SolidLine : Qt::DashLine;
    if (box) {
        if (const auto heat = heatOf(item.owner))
            fill = ui::toQt(*heat);
        if (m_selected.contains(item.owner.id)) {
            line = colour(Colour::Accent);
            width = std::max(3.0, 2 / m_scale); // stays visible in the overview
            style = Qt::SolidLine;
        } else if (item.owner.id == m_hovered) {
            line = colour(Colour::Hover);
            width = 2;
        }
    } else if (item.owner.kind == picture::OwnerKind::Container &&
               m_wholeContainers.contains(item.owner.id)) {
        line = colour(Colour::Accent);
        width = std::max(2.5, 2 / m_scale);
    }
    painter.setPen(QPen(line, width, style));
    painter.setBrush(fill);
    // Lines of odd width lie between pixels at scale 1, so that they are crisp.
    const double shift = m_scale == 1 && width == 1 ? 0.5 : 0;
    const QRectF rect = toQt(item.rect).translated(shift, shift);
    if (m_scale < plainScale)
        painter.drawRect(rect);
    else
        painter.drawRoundedRect(rect, item.radius, item.radius);
    if (item.owner.kind == picture::OwnerKind::Container)
        paintHeader(painter, item);
}

void GraphCanvas::paintHeader(QPainter& painter, const picture::RectItem& item) const {
    const picture::PlacedContainer* container = m_index->container(item.owner.id);
    const auto heat = heatOf(item.owner);
    if (!heat || !container)
        return;
    const double line = item.lineWidth / 2;
    const QRectF inside = toQt(item.rect).adjusted(line, line, -line, -line);
    QPainterPath frame, header;
    frame.addRoundedRect(inside, item.radius, item.radius);
    header.addRect(inside.x(), inside.y(), inside.width(), container->headerHeight);
    painter.fillPath(frame.intersected(header), ui::toQt(*heat));
}

std::optional<picture::Rgb> GraphCanvas::heatOf(const picture::Owner& owner) const {
    if (owner.kind != picture::OwnerKind::Box && owner.kind != picture::OwnerKind::Container)
        return {};
    const HeatOf& heats = owner.kind == picture::OwnerKind::Box ? m_heat : m_containerHeat;
    const auto heat = heats.find(owner.id);
    if (heat == heats.end())
        return {};
    return m_heatScale == HeatScale::FromZero ? picture::heat(heat->second, m_theme)
                                              : picture::difference(heat->second, m_theme);
}

bool GraphCanvas::isReadable(const picture::TextItem& item) const {
    const bool important =
        item.role == picture::TextRole::Title || item.role == picture::TextRole::Header;
    return m_scale >= (important ? titleScale : textScale) && !isUnderLabel(item.owner);
}

void GraphCanvas::paintText(QPainter& painter, const picture::TextItem& item) const {
    if (!isReadable(item))
        return;
    QColor pen = colour(item.colour);
    if (item.role != picture::TextRole::Chip)
        if (const auto heat = heatOf(item.owner))
            pen = ui::toQt(picture::textOn(*heat));
    painter.setPen(pen);
    painter.setFont(labelFont(item.size, item.weight));
    painter.drawText(QPointF(item.position.x, item.position.y), QString::fromUtf8(item.text));
}

void GraphCanvas::paintPath(QPainter& painter, const picture::PathItem& item) const {
    if (item.points.size() < 4)
        return;
    bool emphasised = false, hovered = false, onWay = false;
    for (const std::uint32_t e : item.edges) {
        emphasised |= m_emphasised[e] != 0;
        onWay |= !m_onWay.empty() && m_onWay[e] != 0;
        hovered |= m_hovered != -1 &&
                   (m_picture->links[e].from == m_hovered || m_picture->links[e].to == m_hovered);
    }
    const QColor line = colour(onWay        ? Colour::Failing
                               : emphasised ? Colour::Accent
                               : hovered    ? Colour::Hover
                                            : item.colour);
    const double wider = onWay ? 1.5 : emphasised || hovered ? 0.5 : 0;
    const double width = std::max(item.width + wider, (onWay ? 2 : 0.7) / m_scale);
    Qt::PenStyle style = Qt::SolidLine;
    if (item.dash != picture::Dash::Solid)
        style = item.dash == picture::Dash::Dashed ? Qt::DashLine : Qt::DotLine;
    painter.setPen(QPen(line, width, style, Qt::FlatCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(pathOf(item));
    if (const auto goesOn = m_bridges.find(&item); goesOn != m_bridges.end()) {
        const picture::Point& end = item.points.back();
        for (const picture::Point& start : goesOn->second)
            painter.drawLine(QPointF(end.x, end.y), QPointF(start.x, start.y));
        return;
    }
    if (item.arrow == picture::Arrow::None || m_scale < plainScale)
        return;
    const picture::Point tip = item.points.back();
    picture::Point before = item.points[item.points.size() - 2];
    if (before == tip)
        before = item.points[item.points.size() - 4];
    const double length = std::hypot(tip.x - before.x, tip.y - before.y);
    if (length < 1e-6)
        return;
    const double dx = (tip.x - before.x) / length, dy = (tip.y - before.y) / length;
    const QPointF base(tip.x - dx * 7.5, tip.y - dy * 7.5);
    const QPointF head[] = {{tip.x, tip.y},
                            {base.x() - dy * 4, base.y() + dx * 4},
                            {base.x() + dy * 4, base.y() - dx * 4}};
    painter.setPen(Qt::NoPen);
    painter.setBrush(line);
    painter.drawPolygon(head, 3);
}

void GraphCanvas::paintMinimap(QPainter& painter) {
    const QRectF rect = minimapRect();
    if (rect.isNull())
        return;
    const double sx = rect.width() / m_picture->width, sy = rect.height() / m_picture->height;
    const double ratio = devicePixelRatioF();
    if (m_minimap.isNull() || m_minimap.size() != (rect.size() * ratio).toSize()) {
        m_minimap = QPixmap((rect.size() * ratio).toSize());
        m_minimap.setDevicePixelRatio(ratio);
        QColor background = colour(Colour::Pane);
        m_minimap.fill(background);
        QPainter map(&m_minimap);
        map.setPen(Qt::NoPen);
        const auto scaled = [&](const picture::Rect& r, double least) {
            return QRectF(r.x * sx, r.y * sy, std::max(r.width * sx, least),
                          std::max(r.height * sy, least));
        };
        for (const picture::Item& item : m_picture->items)
            if (const auto* r = std::get_if<picture::RectItem>(&item); r && !isHidden(r->owner)) {
                if (r->owner.kind == picture::OwnerKind::Container) {
                    const auto heat = heatOf(r->owner);
                    QColor tint = heat ? ui::toQt(*heat) : colour(r->line);
                    tint.setAlpha(90);
                    map.fillRect(scaled(r->rect, 1), tint);
                } else if (r->radius > 3) {
                    const auto heat = heatOf(r->owner);
                    map.fillRect(scaled(r->rect, 1),
                                 heat ? ui::toQt(*heat) : colour(Colour::BoxLine));
                }
            }
    }
    painter.drawPixmap(rect.topLeft(), m_minimap);
    painter.setBrush(colour(Colour::Accent));
    painter.setPen(Qt::NoPen);
    for (const std::int64_t id : m_selected) {
        const picture::Rect& box = m_index->box(id)->rect;
        painter.drawRect(QRectF(rect.x() + box.x * sx - 0.5, rect.y() + box.y * sy - 0.5,
                                std::max(box.width * sx, 2.0) + 1,
                                std::max(box.height * sy, 2.0) + 1));
    }
    const picture::Rect visible = visibleScene();
    const QRectF window = QRectF(rect.x() + visible.x * sx, rect.y() + visible.y * sy,
                                 visible.width * sx, visible.height * sy)
                              .intersected(rect);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour(Colour::Line), 1));
    painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setPen(QPen(colour(Colour::Accent), 2));
    painter.drawRect(window.adjusted(1, 1, -1, -1));
}

void GraphCanvas::paintLegend(QPainter& painter) const {
    const double height = legendHeight(), width = viewport()->width();
    if (height > 0)
        ui::paintLegend(painter, {0, viewport()->height() - height, width, height}, legend(),
                        m_theme);
}

QString GraphCanvas::dump() const {
    std::string out = fmt::format("scale {:.4g}\n", m_scale);
    if (m_picture) {
        for (const std::uint32_t i : m_index->itemsIn(visibleScene())) {
            const picture::Item& item = m_picture->items[i];
            if (const auto* text = std::get_if<picture::TextItem>(&item)) {
                if (isReadable(*text))
                    out += fmt::format("text {}\n", text->text);
            } else if (const auto* rect = std::get_if<picture::RectItem>(&item)) {
                if (rect->owner.kind == picture::OwnerKind::Container)
                    out +=
                        fmt::format("container {}{}{}\n", rect->owner.id,
                                    m_wholeContainers.contains(rect->owner.id) ? " selected" : "",
                                    m_containerHeat.contains(rect->owner.id) ? " heat" : "");
                else if (rect->radius > 3)
                    out += fmt::format("box {}{}{}{}{}\n", rect->owner.id,
                                       isDimmed(rect->owner) ? " dimmed" : "",
                                       m_selected.contains(rect->owner.id) ? " selected" : "",
                                       rect->owner.id == m_hovered ? " hovered" : "",
                                       m_heat.contains(rect->owner.id) ? " heat" : "");
            } else {
                out += fmt::format("path {}\n", std::get<picture::PathItem>(item).owner.id);
            }
        }
    }
    for (const MapLabel& label : mapLabels())
        out += "label " + label.text.toStdString() + "\n";
    return QString::fromStdString(out);
}

} // namespace fw::ui
