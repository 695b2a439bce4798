// A window beside the main one, which ends when it is closed. Esc closes it, unless something in it
// has a use for the key: menus and their shortcuts are those of the main window. It opens over the
// graphs, not over the text.
#pragma once

#include <QKeyEvent>
#include <QScreen>
#include <QWidget>

#include <algorithm>

namespace fw::ui {

class SideWindow : public QWidget {
    Q_OBJECT

public:
    explicit SideWindow(QWidget* parent) : QWidget(parent, Qt::Window) {
        setAttribute(Qt::WA_DeleteOnClose);
    }

protected:
    void keyPressEvent(QKeyEvent* event) override {
        if (event->matches(QKeySequence::Cancel))
            close();
        else
            QWidget::keyPressEvent(event);
    }
    void showEvent(QShowEvent* event) override {
        if (!event->spontaneous() && !testAttribute(Qt::WA_Moved))
            moveToRight();
        QWidget::showEvent(event);
    }

private:
    void moveToRight() {
        constexpr int border = 48; // of the main window that is seen around it
        const QRect around = parentWidget()->window()->frameGeometry();
        const QRect room = parentWidget()->screen()->availableGeometry();
        const QPoint wanted(around.right() - width() - border, around.top() + 2 * border);
        move(std::clamp(wanted.x(), room.left(), std::max(room.left(), room.right() - width())),
             std::clamp(wanted.y(), room.top(), std::max(room.top(), room.bottom() - height())));
    }
};

} // namespace fw::ui
