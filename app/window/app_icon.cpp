#include "app/window/app_icon.h"

#include <QPainter>
#include <QPixmap>

namespace fw::ui {

// The same shapes as resources/icons/fusewright.svg, on its field of 256 by 256.
static QPixmap paint(int size) {
    QPixmap out(size, size);
    out.fill(Qt::transparent);
    QPainter painter(&out);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(size / 256.0, size / 256.0);
    const QColor blue(0x0b, 0x57, 0xd0), light(0x6f, 0xd3, 0xe8);
    painter.setPen(Qt::NoPen);
    painter.setBrush(blue);
    painter.drawRoundedRect(QRectF(8, 8, 240, 240), 44, 44);
    painter.setPen(QPen(Qt::white, 12, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(128, 36, 128, 66);
    painter.drawLine(128, 190, 128, 220);
    painter.drawRoundedRect(QRectF(52, 66, 152, 124), 18, 18);
    painter.setPen(QPen(Qt::white, 10));
    painter.drawLine(128, 118, 128, 138);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Qt::white);
    painter.drawRoundedRect(QRectF(80, 92, 96, 26), 8, 8);
    painter.setBrush(light);
    painter.drawRoundedRect(QRectF(80, 138, 96, 26), 8, 8);
    return out;
}

QIcon appIcon() {
    QIcon out;
    for (const int size : {16, 24, 32, 48, 64, 128, 256})
        out.addPixmap(paint(size));
    return out;
}

} // namespace fw::ui
