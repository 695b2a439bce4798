// A window beside the main one, which ends when it is closed. Esc closes it, unless something in it
// has a use for the key: menus and their shortcuts are those of the main window.
#pragma once

#include <QKeyEvent>
#include <QWidget>

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
};

} // namespace fw::ui
