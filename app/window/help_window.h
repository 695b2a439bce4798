// The documentation of resources/docs, which is built into the program, and the sheet of shortcuts.
#pragma once

#include "app/window/side_window.h"

#include <vector>

class QListWidget;
class QTextBrowser;

namespace fw::ui {

class HelpWindow : public SideWindow {
    Q_OBJECT

public:
    struct Shortcut {
        QString menu;
        QString action;
        QString keys;
    };

    explicit HelpWindow(QWidget* parent);
    static void showShortcuts(QWidget* parent, const std::vector<Shortcut>& shortcuts);
    static QStringList pages(); // "architecture.md", ...

private:
    QListWidget* m_list;
    QTextBrowser* m_page;
};

} // namespace fw::ui
