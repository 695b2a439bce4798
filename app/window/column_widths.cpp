#include "app/window/column_widths.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>

#include <utility>

namespace fw::ui {

ColumnWidths::ColumnWidths(QMainWindow& window) : QObject(&window), m_window(window) {
    m_later.setSingleShot(true);
    m_later.setInterval(0);
    connect(&m_later, &QTimer::timeout, this, &ColumnWidths::giveBack);
    window.installEventFilter(this);
}

void ColumnWidths::add(Area area, QDockWidget* dock) {
    m_docks.emplace(area, dock);
    dock->installEventFilter(this);
}

QDockWidget* ColumnWidths::seenIn(Area area) const {
    const auto [first, last] = m_docks.equal_range(area);
    for (auto at = first; at != last; ++at)
        if (QDockWidget* dock = at->second;
            dock && dock->isVisibleTo(&m_window) && !dock->isFloating())
            return dock;
    return nullptr;
}

int ColumnWidths::of(Area area) const {
    const QDockWidget* dock = seenIn(area);
    return dock ? dock->width() : 0;
}

void ColumnWidths::set(Area area, int width) {
    m_wanted[area] = width;
    if (QDockWidget* dock = seenIn(area))
        m_window.resizeDocks({dock}, {width}, Qt::Horizontal);
    m_later.start();
}

bool ColumnWidths::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &m_window) {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
            m_later.start();
    } else if (event->type() == QEvent::Resize &&
               QApplication::mouseButtons() & Qt::LeftButton) { // at the border of the column
        for (auto& [area, wanted] : m_wanted)
            if (const QDockWidget* dock = seenIn(area); dock == watched)
                wanted = dock->width();
    }
    return QObject::eventFilter(watched, event);
}

void ColumnWidths::adopt() {
    m_adopts = true;
    m_later.start();
}

void ColumnWidths::giveBack() {
    if (!m_window.isVisible() || QApplication::mouseButtons() & Qt::LeftButton)
        return;
    const bool adopts = std::exchange(m_adopts, false);
    for (auto& [area, wanted] : m_wanted) {
        QDockWidget* dock = seenIn(area);
        if (!dock)
            continue;
        if (adopts && dock->width() >= leastKept)
            wanted = dock->width();
        const int room = m_window.centralWidget()->width() - leastMiddle;
        const int width = std::min(wanted, dock->width() + std::max(room, 0));
        if (dock->width() < width)
            m_window.resizeDocks({dock}, {width}, Qt::Horizontal);
    }
}

} // namespace fw::ui
