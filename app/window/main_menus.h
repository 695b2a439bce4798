// The menus of the window. Every action stands in a menu and has a shortcut; what views add stands
// where their commands say.
//
// Owns which actions need a model, and those that change with the document. What an action does is
// done by who has it: the parts below, or the window where it is told.
#pragma once

#include "app/window/document_dialogs.h"
#include "app/window/view_docks.h"

class QAction;
class QKeySequence;
class QMainWindow;
class QMenu;
class QMenuBar;

namespace fw::ui {

class GraphEdits;
class GraphWindows;
class Layouts;
class MainBar;
class NodeFinder;

class MainMenus : public QObject {
    Q_OBJECT

public:
    // What actions act on; all live longer.
    struct WindowParts {
        QMainWindow& window;
        Settings& settings;
        Memory memory;
        Document& document;
        Selection& selection;
        ViewDocks& views;
        DocumentFiles& files;
        DocumentDialogs& dialogs;
        NodeFinder& finder;
        GraphWindows& graphs;
        GraphEdits& edits;
        MainBar& bar;
        Layouts& layouts;
    };
    explicit MainMenus(const WindowParts& parts);

    void update();                              // what can be done now
    QStringList fillRecent();                   // those that exist
    void popUpNodeMenu(const QPoint& at) const; // of a node in a graph

Q_SIGNALS:
    void requested(fw::ui::Request request);
    void targetChosen(const QString& target);
    void themeChosen(fw::ui::ThemeChoice theme);
    void commandsWanted();
    void quickOpenWanted();
    void placeWanted(); // to go to
    void bookmarkUsed(int number);
    void placesWanted();

private:
    using Do = std::function<void()>;

    QMenu* menu(const QString& title);
    QAction* add(const QString& text, const char* keys, const Do& act); // to the menu made last
    QAction* addForModel(const QString& text, const char* keys, const Do& act);
    void addRequest(const QString& text, const char* keys, Request request);
    void addCommands(MenuPlace place);
    void addFile();
    void addEdit();
    void addView();
    void addNodeActions(const QMenu& menu);
    void addDocks();
    void addLayouts();
    void fillLayouts();
    void saveLayout();
    QMenu* inside(const QString& title); // of the menu made last; the next actions stand there
    void addThemes();
    void addGraph();
    void addBookmarks();
    void addEdits();
    void addRules();
    void addTarget();
    void addProfile();
    void addHelp();
    void openMenu(); // where the keys go
    void showShortcuts();
    void showAbout();

    WindowParts m_parts;
    QMenuBar* m_bar;
    QMenu* m_menu = nullptr; // made last
    QMenu* m_recent = nullptr;
    QMenu* m_layouts = nullptr;
    QMenu* m_nodes;
    std::vector<QAction*> m_needModel, m_save;
    QAction* m_stop = nullptr;
    QAction* m_bodies = nullptr;
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
    QAction* m_clearPins = nullptr;
    QAction* m_closeLog = nullptr;
    QAction* m_pin = nullptr; // the times, as baseline
    QAction* m_unpin = nullptr;
    QAction* m_back = nullptr;
    QAction* m_forward = nullptr;
};

} // namespace fw::ui
