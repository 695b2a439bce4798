#include "views/common/flow_layout.h"

#include <algorithm>

namespace fw::ui {

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? m_items[std::size_t(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    if (index < 0 || index >= count())
        return nullptr;
    QLayoutItem* out = m_items[std::size_t(index)].release();
    m_items.erase(m_items.begin() + index);
    return out;
}

int FlowLayout::heightForWidth(int width) const {
    return place(QRect(0, 0, width, 0), Move::No);
}

QSize FlowLayout::minimumSize() const {
    QSize out;
    for (const auto& item : m_items)
        if (!item->isEmpty())
            out = out.expandedTo(item->minimumSize());
    return out.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    place(rect, Move::Yes);
}

int FlowLayout::place(const QRect& rect, Move move) const {
    const QMargins margins = contentsMargins();
    const QRect area = rect.marginsRemoved(margins);
    int x = area.x();
    int y = area.y();
    int high = 0;
    for (const auto& item : m_items) {
        if (item->isEmpty())
            continue; // a hidden widget
        const QSize size = item->sizeHint();
        if (high > 0 && x + size.width() > area.right() + 1) {
            x = area.x();
            y += high + m_gap;
            high = 0;
        }
        if (move == Move::Yes)
            item->setGeometry(QRect({x, y}, size));
        x += size.width() + m_gap;
        high = std::max(high, size.height());
    }
    return y + high - rect.y() + margins.bottom();
}

} // namespace fw::ui
