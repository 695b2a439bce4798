// The two-letter chip of an implementation, and tool tips that never read names as markup.
#pragma once

#include "picture/diagram.h"
#include "picture/palette.h"

#include <QString>

class QPainter;
class QRect;

namespace fw::ui {

constexpr int chipWidth = 26;

picture::Colour implementationColour(picture::Implementation implementation);
// Centred vertically at the left of the rectangle; nothing for Implementation::None.
void paintChip(QPainter& painter, const QRect& rect, picture::Implementation implementation);
QString toolTipOf(const QString& text);

} // namespace fw::ui
