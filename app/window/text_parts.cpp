#include "app/window/text_parts.h"

#include <QResizeEvent>

namespace fw::ui {

TextParts::TextParts(QWidget* parent) : QSplitter(Qt::Vertical, parent) {
    setChildrenCollapsible(false);
}

void TextParts::resizeEvent(QResizeEvent* event) {
    const auto direction = event->size().width() >= roomForBoth ? Qt::Horizontal : Qt::Vertical;
    if (direction != orientation() || !event->oldSize().isValid())
        share(direction);
    QSplitter::resizeEvent(event);
}

void TextParts::share(Qt::Orientation direction) {
    setOrientation(direction);
    setStretchFactor(0, 3);
    setStretchFactor(1, direction == Qt::Horizontal ? 2 : 1);
    setSizes(direction == Qt::Horizontal ? QList<int>{600, 400} : QList<int>{700, 280});
}

} // namespace fw::ui
