// The workbench window: what is shown where, and how the parts hear of one another.
//
// It makes its views from the rows of view_rows.cpp and knows them by nothing else: every view is
// told which parts of the document changed and what is selected, and what people do in it comes
// back by the signals that all views have. The document asks the worker; the selection is one
// object that all views read and set.
//   main_window.cpp            the window itself: start, idle, drop, close
//   main_window_build.cpp      what is no view: bars, status, connections
//   main_window_views.cpp      the views: docks, layout, who is told what
//   main_window_document.cpp   files and edits
//   main_window_actions.cpp    menus, tool bar, dialogs
//   main_window_palette.cpp    commands and things by name
//   main_window_bodies.cpp     graphs inside a node
//   main_window_selection.cpp  find, names, walking
#pragma once

#include "app/window/document.h"
#include "app/window/finder.h"
#include "app/window/settings.h"
#include "app/window/view_rows.h"

#include <QMainWindow>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <vector>

class QComboBox;
class QDockWidget;
class QLabel;
class QLineEdit;
class QMenu;
class QProgressBar;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QToolBar;
class QToolButton;

namespace fw::ui {

class BodyWindow;
class CounterexampleWindow;
class LibraryBoxes;
class MessageBar;
class Palette;
class PaneHeader;
class WelcomeView;

// Tests and screenshots neither read nor write what the user's window remembers.
enum class Memory { Remember, Forget };

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(const QString& workerProgram, Memory memory = Memory::Remember,
                        const ViewRows& rows = viewRows());
    ~MainWindow() override;

    void openModel(const QString& path);
    void setTargetText(const QString& target);
    void switchLibrary(const QString& name, bool on);
    void openBook(const QString& path);
    bool saveTo(const QString& file); // false: told in the message bar
    void applyTheme(ThemeChoice choice);
    // Answers instead of the dialog, for tests.
    void answerUnsaved(std::function<Unsaved()> answer) { m_answers.unsaved = std::move(answer); }
    void answerLoad(std::function<bool(const QString&)> answer) {
        m_answers.load = std::move(answer);
    }
    void answerOverwrite(std::function<bool(const QString&)> answer) {
        m_answers.overwrite = std::move(answer);
    }
    void answerSaveName(std::function<QString(const QString& suggested)> answer) {
        m_answers.saveName = std::move(answer);
    }
    void newBook() { serve(Request::NewBook); }
    // A path, or the name of a shipped book; line 0: where it was left.
    void editBook(const QString& file, int line, int column = 1);
    bool selectByName(const QString& text);
    bool selectByNames(const QStringList& names); // together; false: one is unknown
    void select(const Picked& picked) { m_selection.pick(picked); }
    const Picked& selection() const { return m_selection.picked(); }
    // Nothing is pending: no request, no layout, no timer.
    bool idle() const;

    void openBodies(snapshot::NodeId imported); // nothing if the node has none
    void openCounterexample(const QString& book, const snapshot::CheckItem& rule);
    CounterexampleWindow* counterexampleWindow() const; // null: there is none
    BodyWindow* bodyWindow() const;                     // null: not open

    Document& document() { return m_document; }
    WorkerClient& worker() { return m_worker; }
    // The view of this class; null: no row makes one.
    template <class V>
    V* view() const {
        for (const ShownView& shown : m_views)
            if (auto* found = dynamic_cast<V*>(shown.view))
                return found;
        return nullptr;
    }
    View* viewNamed(const QString& row) const;
    void bringToFront(const View* view);
    Palette* palette() const { return m_palette; }
    LibraryBoxes* libraries() const { return m_libraries; }
    MessageBar* messageBar() const { return m_message; }
    MessageBar* offerBar() const { return m_offer; }

Q_SIGNALS:
    void idleChanged();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    struct ShownView {
        ViewRow row;
        View* view = nullptr;
        QDockWidget* dock = nullptr; // null in the middle
        QLabel* status = nullptr;
    };

    // main_window.cpp
    void checkIdle();
    template <class Do>
    void forEachWidth(Do act); // act(name, splitter or header)

    // main_window_build.cpp
    void buildCentre();
    void buildStatusBar();
    void connectDocument();
    void showProblem(const Diag& diag);
    void showProgress(const snapshot::Progress& progress);
    void say(const QString& text); // in the status bar, for a while
    void log(const QString& line);
    void updateStatus();

    // main_window_views.cpp
    void buildViews();
    void place(ShownView& shown);
    void connectView(ShownView& shown);
    void act(const ShownView& shown, const Intent& intent);
    void addViewCommands(MenuPlace place, QMenu* menu);
    void addBarCommands(QToolBar* bar);
    void connectSelection();
    void defaultLayout();
    void documentChanged(Parts parts);
    bool serve(Request request);
    void layOutTexts(View* view, bool something);
    void showHiddenDocks();
    void focusCentre();
    void openMenu(); // where the keys go
    void cyclePanes(int step);

    // main_window_document.cpp
    void modelChanged();
    void inputsChanged();
    void showFile();
    void remember(const QString& path);
    bool mayDiscard();
    bool answered(Unsaved answer);
    void showLibraries();
    bool mayLoad(const snapshot::LibraryRecord& library);
    bool mayOverwrite(const QString& file);
    void showTargets();
    bool saveDocument();
    bool saveDocumentAs();
    void openBookDialog();
    void askDims();
    void askTypes();
    void openLogDialog();
    void tuneDialog(); // asks for a file unless one is open
    void verifyCandidates();
    void fillRecent();
    void openDialog();
    void exportDialog();
    void exportRewrittenDialog();
    void savePictureDialog(const std::shared_ptr<const picture::Picture>& picture,
                           const QString& title);

    // main_window_actions.cpp
    void buildActions();
    void buildToolBar();
    QAction* addAction(QMenu* menu, const QString& text, const QKeySequence& keys,
                       const std::function<void()>& slot);
    QPushButton* barButton(QToolBar* bar, const QString& text, const QString& tip);
    void updateActions();
    void showDocumentation();
    void showShortcuts();
    void showAbout();

    // main_window_palette.cpp
    void openCommands();
    void openQuickly();

    // main_window_bodies.cpp
    void buildBodies(QMenu* menu);

    // main_window_selection.cpp
    void findNext(int step);
    void walkGroups(int step);
    void goTo();

    Settings m_settings;
    const Memory m_memory;
    const ViewRows m_rows;
    WorkerClient m_worker;
    Document m_document;
    Selection m_selection;
    Answers m_answers;
    QStringList m_agreed;           // SHA-256 of libraries that may be loaded
    std::vector<ShownView> m_views; // as the rows are ordered
    std::vector<Hit> m_hits;
    QString m_findText;
    int m_hitAt = -1;
    QTimer m_details; // details are asked for when the selection has settled
    QTimer m_idleCheck;
    bool m_wasIdle = false;

    QStackedWidget* m_centre = nullptr;
    QSplitter* m_work = nullptr; // texts beside the centre
    QString m_wanted;            // what was to be opened last
    QList<QDockWidget*> m_hiddenForTexts;
    int m_hiddenWidth = 0; // of them
    WelcomeView* m_welcome = nullptr;
    Palette* m_palette = nullptr;
    MessageBar* m_message = nullptr;
    MessageBar* m_offer = nullptr; // stays until it is answered

    QComboBox* m_target = nullptr;
    int m_targetPresets = 0; // in front of those that books declare
    LibraryBoxes* m_libraries = nullptr;
    QPushButton* m_profileButton = nullptr;
    QPushButton* m_stopButton = nullptr;
    QLineEdit* m_find = nullptr;
    QMenu* m_recentMenu = nullptr;
    std::vector<QAction*> m_needModel;
    QMenu* m_nodeMenu = nullptr;              // of a node in a graph
    QPointer<QWidget> m_bodyWindow;           // while it is open
    QPointer<QWidget> m_counterexampleWindow; // likewise
    QAction* m_saveAction = nullptr;
    QAction* m_saveAsAction = nullptr;
    QAction* m_stopAction = nullptr;
    QAction* m_undoAction = nullptr;
    QAction* m_redoAction = nullptr;
    QAction* m_clearPinsAction = nullptr;
    QAction* m_closeLogAction = nullptr;
    QAction* m_backAction = nullptr;
    QAction* m_forwardAction = nullptr;

    QLabel* m_statusFile = nullptr;
    QLabel* m_statusCounts = nullptr;
    QLabel* m_statusSelection = nullptr;
    QLabel* m_statusNote = nullptr;
    QLabel* m_statusTask = nullptr;
    QProgressBar* m_progress = nullptr;
    QToolButton* m_cancel = nullptr;
    int m_statusItems = 0;
    QLabel* m_statusTarget = nullptr;
    QLabel* m_statusWorker = nullptr;
};

} // namespace fw::ui
