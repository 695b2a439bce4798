// The workbench window: what is shown where, and how the parts hear of one another.
//
// Centre: imported and fused graph side by side. Left: outline. Right: explain, properties. Below:
// op times, stages, problems, log. The document asks the worker; every view is filled from its
// parts when they change. The selection is one value (which nodes of which stage), translated
// through provenance, and told to every view but the one it came from.
//   main_window.cpp            the window itself: start, idle, drop, close
//   main_window_build.cpp      widgets, docks, connections
//   main_window_show.cpp       document to views
//   main_window_document.cpp   files, edits, pins
//   main_window_actions.cpp    menus, tool bar, dialogs
//   main_window_books.cpp      books as text: tabs, files, what is shown in them
//   main_window_matches.cpp    what the declaration at the caret finds
//   main_window_palette.cpp    commands and things by name
//   main_window_selection.cpp  selection, history, find, walking
#pragma once

#include "app/window/document.h"
#include "app/window/finder.h"
#include "app/window/settings.h"
#include "snapshot/provenance.h"
#include "views/editor/book_page.h"

#include <QMainWindow>
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
class QStackedWidget;
class QToolButton;

namespace fw::ui {

class BooksArea;
class ChangesView;
class ExplainView;
class GraphPane;
class LogView;
class ImplementationsView;
class LibraryBoxes;
class MatchPanel;
class MessageBar;
class OutlineView;
class Palette;
class PaneHeader;
class ProblemsView;
class ProfileView;
class PropertiesView;
class RulesView;
class StagesView;
class WelcomeView;
struct Caret;
struct TensorChoice;

// What is selected, in both stages.
struct Picked {
    snapshot::NodeSet imported;
    snapshot::NodeSet fused;
    int group = -1; // if a whole group is meant

    bool empty() const { return imported.empty() && fused.empty(); }
    bool operator==(const Picked&) const = default;
};

// Tests and screenshots neither read nor write what the user's window remembers.
enum class Memory { Remember, Forget };

// What to do with changes that would be lost.
enum class Unsaved { Save, Discard, Cancel };

// How the boxes are coloured once there is a profile.
enum class Heat { None, Time, Slowness };

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(const QString& workerProgram, Memory memory = Memory::Remember);
    ~MainWindow() override;

    void openModel(const QString& path);
    void setTargetText(const QString& target);
    void switchLibrary(const QString& name, bool on);
    void openBook(const QString& path);
    bool saveTo(const QString& file); // false: told in the message bar
    void applyTheme(ThemeChoice choice);
    void setHeat(Heat heat);
    // Answers instead of the dialog, for tests.
    void answerUnsaved(std::function<Unsaved()> answer) { m_askUnsaved = std::move(answer); }
    void answerSaveName(std::function<QString(const QString& suggested)> answer) {
        m_askSaveName = std::move(answer);
    }
    void newBook();
    // A path, or the name of a shipped book; line 0: where it was left.
    void editBook(const QString& file, int line, int column = 1);
    bool selectByName(const QString& text);
    bool selectByNames(const QStringList& names); // together; false: one is unknown
    void select(const Picked& selection);
    const Picked& selection() const { return m_selection; }
    // Nothing is pending: no request, no layout, no timer.
    bool idle() const;
    Status savePicture(const QString& file, GraphSide side);

    Document& document() { return m_document; }
    WorkerClient& worker() { return m_worker; }
    GraphPane* pane(GraphSide side) const {
        return side == GraphSide::Imported ? m_importedPane : m_fusedPane;
    }
    OutlineView* outline() const { return m_outline; }
    ExplainView* explainView() const { return m_explain; }
    ImplementationsView* implementationsView() const { return m_implementations; }
    ChangesView* changesView() const { return m_changes; }
    RulesView* rulesView() const { return m_rules; }
    BooksArea* books() const { return m_books; }
    MatchPanel* matchPanel() const { return m_matches; }
    Palette* palette() const { return m_palette; }
    LibraryBoxes* libraries() const { return m_libraries; }
    PropertiesView* propertiesView() const { return m_properties; }
    ProfileView* profileView() const { return m_profile; }
    StagesView* stagesView() const { return m_stages; }
    ProblemsView* problemsView() const { return m_problems; }
    MessageBar* messageBar() const { return m_message; }
    MessageBar* offerBar() const { return m_offer; }

Q_SIGNALS:
    void idleChanged();
    void selectionChanged();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    struct Dock {
        QDockWidget* widget = nullptr;
        PaneHeader* header = nullptr; // null below, where tabs name the docks
        Qt::DockWidgetArea area = Qt::NoDockWidgetArea;
    };

    // main_window.cpp
    void checkIdle();

    // main_window_build.cpp
    void buildCentre();
    void buildDocks();
    void buildStatusBar();
    void connectDocument();
    void connectViews();
    Dock& addDock(const QString& name, const QString& title, QWidget* view,
                  Qt::DockWidgetArea area);
    void defaultLayout();
    template <class Do>
    void forEachWidth(Do act); // act(name, splitter or header)

    // main_window_show.cpp
    void partChanged(Document::Part part);
    void showGraph(GraphSide side);
    void showProfile();
    void showImplementations();
    void showVerified();
    void showTimes();
    void showHeat();
    void showExplain();
    void showChanges();
    void showRules();
    void showTextProblems();
    void showFollowers(); // states of the views that follow the plan
    void showValue();
    void showStage();
    void showProblem(const Diag& diag);
    void showProgress(const snapshot::Progress& progress);
    void say(const QString& text); // in the status bar, for a while
    void updateStatus();

    // main_window_document.cpp
    void modelChanged();
    void inputsChanged();
    void remember(const QString& path);
    std::vector<std::string> pinNames(const snapshot::NodeSet& fused) const;
    void pinGroup(int group, snapshot::PinKind kind, const QString& implementation);
    void unpinGroup(int group);
    void pinSelection(snapshot::PinKind kind);
    void tryChange(const QString& change);
    bool mayDiscard();
    bool answered(Unsaved answer);
    bool saveDocument();
    bool saveDocumentAs();
    void openBookDialog();
    void askDims();
    void openLogDialog();
    void tuneDialog(); // asks for a file unless one is open
    void verifyCandidates();
    void fillRecent();
    void openDialog();
    void exportDialog();

    // main_window_books.cpp
    void connectBooks();
    void buildBookActions(QMenu* menu);
    void layOutBooks();
    void showHiddenDocks();
    void showBook(const QString& path);
    bool inBook() const; // the keys go to a book
    bool saveBook(const QString& path);
    bool saveBookAs(const QString& path);
    void closeBook(const QString& path);
    bool mayDiscardBooks(const QStringList& paths);
    QString bookFolder() const; // of new ones
    void copyShipped(const QString& file);
    void fillShipped();
    void switchCurrentBook();
    void answerBanner(BookPage::Answer answer);
    void offerDrafts();
    void goToLine();
    template <class Use>
    void askAssist(const QString& path, const Caret& at, Use use);
    void goToDefinition(const QString& path, const Caret& at);
    void showPlaces(const QString& path);

    // main_window_matches.cpp
    void connectMatches();
    const snapshot::RuleMatches* ruleAtCaret() const;
    void showMatches();
    void caretMoved();
    void showHalos();
    void stepMatch(int step);
    void showMiss(const snapshot::NearMissRecord& miss);
    void showNodes(const std::vector<snapshot::NodeId>& nodes, snapshot::NodeId root,
                   bool imported);
    void followNode(snapshot::NodeId node, GraphSide side);

    // main_window_actions.cpp
    void buildActions();
    void buildToolBar();
    QAction* addAction(QMenu* menu, const QString& text, const QKeySequence& keys,
                       const std::function<void()>& slot);
    void updateActions();
    void savePictureDialog();
    void showDocumentation();
    void showShortcuts();
    void showAbout();

    // main_window_palette.cpp
    void openCommands();
    void openQuickly();

    // main_window_selection.cpp
    Picked fromImported(snapshot::NodeSet ids) const;
    Picked fromFused(snapshot::NodeSet ids) const;
    Picked fromGroup(int group) const;
    void activate(int group, qint64 fusedNode);
    void setSelection(const Picked& selection, const QObject* origin);
    void showSelection(const QObject* origin);
    void translateSelection(); // after a new plan: ids of the fused stage are new
    void askForDetails();
    void askForValue(const TensorChoice& choice);
    void goHistory(int step);
    void findNext(int step);
    void walk(int step);
    void walkGroups(int step);
    void goTo();
    void cyclePanes(int step);
    GraphPane* currentPane() const;

    Settings m_settings;
    const Memory m_memory;
    WorkerClient m_worker;
    Document m_document;
    snapshot::Provenance m_provenance;
    Picked m_selection;
    std::vector<Picked> m_history;
    std::size_t m_historyAt = 0;
    std::vector<Hit> m_hits;
    QString m_findText;
    int m_hitAt = -1;
    QTimer m_details; // explain and stages are asked when the selection has settled
    QTimer m_idleCheck;
    bool m_wasIdle = false;
    Heat m_heat = Heat::None;
    std::function<Unsaved()> m_askUnsaved;
    std::function<QString(const QString&)> m_askSaveName;
    QByteArray m_defaultState;

    QStackedWidget* m_centre = nullptr;
    BooksArea* m_books = nullptr;
    MatchPanel* m_matches = nullptr;
    QString m_liveRule;   // at the caret
    int m_liveMatch = -1; // of its matches
    snapshot::NodeId m_shownMiss = snapshot::noNode;
    QString m_wanted;           // what was to be opened last
    bool m_movingCaret = false; // a selection that came from the text
    QList<QDockWidget*> m_hiddenForBooks;
    int m_hiddenWidth = 0; // of them
    WelcomeView* m_welcome = nullptr;
    Palette* m_palette = nullptr;
    MessageBar* m_message = nullptr;
    MessageBar* m_offer = nullptr; // stays until it is answered
    GraphPane* m_importedPane = nullptr;
    GraphPane* m_fusedPane = nullptr;
    OutlineView* m_outline = nullptr;
    ExplainView* m_explain = nullptr;
    PropertiesView* m_properties = nullptr;
    ProfileView* m_profile = nullptr;
    StagesView* m_stages = nullptr;
    ProblemsView* m_problems = nullptr;
    LogView* m_log = nullptr;
    ImplementationsView* m_implementations = nullptr;
    ChangesView* m_changes = nullptr;
    RulesView* m_rules = nullptr;
    std::vector<Dock> m_docks;
    QDockWidget* m_changesDock = nullptr;
    QDockWidget* m_stagesDock = nullptr;
    PaneHeader* m_outlineTitle = nullptr;
    PaneHeader* m_explainTitle = nullptr;
    PaneHeader* m_implementationsTitle = nullptr;
    PaneHeader* m_propertiesTitle = nullptr;
    PaneHeader* m_rulesTitle = nullptr;

    QComboBox* m_target = nullptr;
    LibraryBoxes* m_libraries = nullptr;
    QPushButton* m_profileButton = nullptr;
    QPushButton* m_stopButton = nullptr;
    QLineEdit* m_find = nullptr;
    QMenu* m_recentMenu = nullptr;
    std::vector<QAction*> m_needModel;
    std::vector<QAction*> m_needBook;
    QAction* m_takesPartAction = nullptr;
    QAction* m_inOrderAction = nullptr;
    QMenu* m_shippedMenu = nullptr;
    QMenu* m_nodeMenu = nullptr; // of a node in a graph
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
    QLabel* m_statusZoom = nullptr;
    QLabel* m_statusNote = nullptr;
    QLabel* m_statusTask = nullptr;
    QProgressBar* m_progress = nullptr;
    QToolButton* m_cancel = nullptr;
    QLabel* m_statusTarget = nullptr;
    QLabel* m_statusProblems = nullptr;
    QLabel* m_statusWorker = nullptr;
};

} // namespace fw::ui
