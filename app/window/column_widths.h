// The columns of docks beside the middle keep the width that people, or a layout, gave them: a
// window that was small for a while gives it back, and what docks say never takes any.
#pragma once

#include "app/window/view_rows.h"

#include <QPointer>
#include <QTimer>

#include <map>

class QDockWidget;
class QMainWindow;

namespace fw::ui {

class ColumnWidths : public QObject {
    Q_OBJECT

public:
    explicit ColumnWidths(QMainWindow& window); // its parent

    void add(Area area, QDockWidget* dock);
    void set(Area area, int width); // now, and from now on
    int of(Area area) const;        // that it has now; 0: nothing is seen there
    void adopt();                   // what a remembered layout has, unless that was squeezed
    QDockWidget* seenIn(Area area) const;

    static constexpr int least = 180; // of a dock: what it says is cut there

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void giveBack();

    static constexpr int leastMiddle = 420; // docks leave it so much
    static constexpr int leastKept = 240;   // what is less was no choice

    QMainWindow& m_window;
    std::multimap<Area, QPointer<QDockWidget>> m_docks;
    std::map<Area, int> m_wanted;
    QTimer m_later; // when the window has its size
    bool m_adopts = false;
};

} // namespace fw::ui
