// The workbench window: what it is made of, and how the parts hear of one another.
//
// The document asks the worker; the selection is one object that all views read and set. The views
// are made from rows and known by nothing else: they are told which parts of the document changed
// and what is selected, and what people do in them comes back as intents.
// Owns settings, worker, document, selection and, each with its own state: the views in their
// docks, files, dialogs, finding, small windows, tool bar, menus, status.
#pragma once

#include "app/window/document_dialogs.h"
#include "app/window/graph_windows.h"
#include "app/window/view_docks.h"
#include "views/common/node_finder.h"

#include <QMainWindow>

namespace fw::ui {

class Bookmarks;
class Layouts;
class LibraryBoxes;
class MainBar;
class MainMenus;
class MessageBar;
class Palette;
class StatusLine;
class WelcomeView;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(const QString& workerProgram, Memory memory = Memory::Remember,
                        const ViewRows& rows = viewRows());
    ~MainWindow() override;

    void openModel(const QString& path) { m_files->open(path); }
    void setTargetText(const QString& target);
    void switchLibrary(const QString& name, bool on);
    void openBook(const QString& path);
    bool saveTo(const QString& file) { return m_files->saveTo(file); } // false: it is told
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
    void editBook(const QString& file, int line, int column = 1) {
        m_views->openPlace(file, line, column);
    }
    bool selectByName(const QString& text) { return m_finder.select(text); }
    bool selectByNames(const QStringList& names) { return m_finder.select(names); }
    void select(const Picked& picked) { m_selection.pick(picked); }
    const Picked& selection() const { return m_selection.picked(); }
    void tell(const Diag& diag) { showProblem(diag); }
    // Nothing is pending: no request, no layout, no timer.
    bool idle() const { return m_document.idle() && m_views->settled(); }

    Document& document() { return m_document; }
    WorkerClient& worker() { return m_worker; }
    Layouts& layouts() { return *m_layouts; }
    GraphWindows& graphWindows() { return m_graphWindows; }
    const NodeFinder& finder() const { return m_finder; }
    // The view of this class; null: no row makes one.
    template <class V>
    V* view() const {
        for (const ViewDocks::Shown& shown : *m_views)
            if (auto* found = dynamic_cast<V*>(shown.view))
                return found;
        return nullptr;
    }
    View* viewNamed(const QString& row) const { return m_views->named(row); }
    void bringToFront(const View* view) { m_views->bringToFront(view); }
    Palette* palette() const { return m_palette; }
    LibraryBoxes* libraries() const;
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
    void buildCentre(const ViewRows& rows);
    void buildBars();
    void connectFiles();
    void connectViews();
    void connectDocument();
    void act(const View* view, const Intent& intent);
    bool serve(Request request);
    void documentChanged(Parts parts);
    void modelChanged();
    void showProblem(const Diag& diag);
    void log(const QString& line);
    void find(int step);
    void goTo();
    void openCommands();
    void openQuickly();
    void showNow();
    void fillRecent();
    void checkIdle();

    Settings m_settings;
    const Memory m_memory;
    const int m_layoutVersion;
    WorkerClient m_worker;
    Document m_document;
    Selection m_selection;
    Answers m_answers;
    NodeFinder m_finder{m_document, m_selection};
    GraphWindows m_graphWindows{this, m_document};
    QTimer m_idleCheck;
    bool m_wasIdle = false;

    // Children of the window.
    WelcomeView* m_welcome;
    MessageBar* m_message;
    MessageBar* m_offer; // stays until it is answered
    Palette* m_palette;
    ViewDocks* m_views;
    Layouts* m_layouts;
    DocumentFiles* m_files;
    DocumentDialogs* m_dialogs;
    Bookmarks* m_bookmarks;
    MainBar* m_bar;
    MainMenus* m_menus;
    StatusLine* m_status;
};

} // namespace fw::ui
