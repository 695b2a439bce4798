#include "views/common/chip.h"

#include "views/common/theme.h"

#include <QPainter>

namespace fw::ui {

using namespace Qt::StringLiterals;
using picture::Implementation;

Colour implementationColour(Implementation implementation) {
    switch (implementation) {
    case Implementation::Generated:
        return Colour::Generated;
    case Implementation::OneDnn:
        return Colour::OneDnn;
    case Implementation::OpenBlas:
        return Colour::OpenBlas;
    case Implementation::Reference:
        return Colour::Reference;
    case Implementation::None:
        return Colour::Muted;
    }
    return Colour::Muted;
}

void paintChip(QPainter& painter, const QRect& rect, Implementation implementation) {
    const std::string_view text = picture::chipText(implementation);
    if (text.empty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF chip(rect.x() + 0.5, rect.center().y() - 7, chipWidth - 1, 15);
    painter.setPen(QPen(Theme::instance().colour(implementationColour(implementation)), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(chip, 3, 3);
    painter.setFont(Theme::textFont(10, QFont::Bold));
    painter.drawText(chip, Qt::AlignCenter, QString::fromUtf8(text.data(), qsizetype(text.size())));
    painter.restore();
}

QString toolTipOf(const QString& text) {
    return u"<span>"_s + text.toHtmlEscaped() + u"</span>"_s;
}

} // namespace fw::ui
