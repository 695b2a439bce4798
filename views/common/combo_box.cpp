#include "views/common/combo_box.h"

#include "views/common/theme.h"

#include <QPainter>

namespace fw::ui {

void ComboBox::paintEvent(QPaintEvent* event) {
    QComboBox::paintEvent(event);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::instance().colour(isEnabled() ? Colour::Muted : Colour::Line));
    const QPointF at(width() - 14, height() / 2.0 + 0.5);
    painter.drawPolygon(
        QPolygonF{at + QPointF(-4, -2.5), at + QPointF(4, -2.5), at + QPointF(0, 2.5)});
}

} // namespace fw::ui
