#include "views/common/style.h"

#include "views/common/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>

namespace fw::ui {

Style::Style() : QProxyStyle(QStringLiteral("Fusion")) {}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option,
                       const QWidget* widget) const {
    if (metric == PM_IndicatorWidth || metric == PM_IndicatorHeight)
        return 14;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
    const Theme& theme = Theme::instance();
    const bool enabled = option->state.testFlag(State_Enabled);
    const QRectF rect = option->rect;
    if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck) {
        const bool on = option->state.testFlag(State_On),
                   some = option->state.testFlag(State_NoChange);
        const QRectF box(rect.center().x() - 6.5, rect.center().y() - 6.5, 13, 13);
        const QColor strong = theme.colour(enabled ? Colour::Accent : Colour::BoxLine);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(on || some ? strong : theme.colour(Colour::BoxLine), 1));
        painter->setBrush(on || some ? strong : theme.colour(Colour::Pane));
        painter->drawRoundedRect(box, 3, 3);
        painter->setPen(
            QPen(theme.colour(Colour::OnAccent), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->setBrush(Qt::NoBrush);
        if (on) {
            QPainterPath mark(QPointF(box.x() + 3.2, box.y() + 6.8));
            mark.lineTo(box.x() + 5.6, box.y() + 9.2);
            mark.lineTo(box.x() + 9.9, box.y() + 4);
            painter->drawPath(mark);
        } else if (some) {
            painter->drawLine(QPointF(box.x() + 3.5, box.y() + 6.5),
                              QPointF(box.x() + 9.5, box.y() + 6.5));
        }
        painter->restore();
        return;
    }
    if (element == PE_IndicatorTabClose) {
        const bool over = enabled && option->state.testFlag(State_MouseOver);
        const QPointF middle = rect.center();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (over) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.colour(Colour::PaneHighlight));
            painter->drawRoundedRect(QRectF(middle.x() - 7, middle.y() - 7, 15, 15), 3, 3);
        }
        painter->setPen(QPen(theme.colour(over ? Colour::Text : Colour::Muted), 1.4, Qt::SolidLine,
                             Qt::RoundCap));
        painter->drawLine(middle + QPointF(-3, -3), middle + QPointF(4, 4));
        painter->drawLine(middle + QPointF(4, -3), middle + QPointF(-3, 4));
        painter->restore();
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

} // namespace fw::ui
