// The views of a window: made from their rows, put into docks or the middle, laid out, and told
// what concerns them.
//
// Owns which docks make room for texts, and when the selection is at rest; docks and views are
// children of the window.
#pragma once

#include "app/window/view_rows.h"

#include <QTimer>

class QDockWidget;
class QMainWindow;
class QSplitter;
class QStackedWidget;

namespace fw::ui {

class ColumnWidths;

// Which docks are seen, and how the room is shared. Pixels; columns take less of a small window.
struct DockLayout {
    std::vector<QString> docks; // by the names of their rows, the first of the tabs in front; none:
                                // all
    int left = 260, right = 440, below = 230;
    int text = 5, graphs = 6; // shares of the middle
};

class ViewDocks : public QObject {
    Q_OBJECT

public:
    struct Shown {
        ViewRow row;
        View* view = nullptr;
        QDockWidget* dock = nullptr; // null in the middle
    };

    // All live longer. `welcome` stands in the middle until a model is open.
    ViewDocks(QMainWindow& window, const ViewRows& rows, const ViewSources& sources,
              Selection& selection, QWidget* welcome);

    auto begin() const { return m_shown.begin(); } // as the rows are ordered
    auto end() const { return m_shown.end(); }
    QSplitter* middle() const { return m_work; } // texts beside the graphs
    void leaveWelcome();
    View* named(const QString& row) const;
    void bringToFront(const View* view) const;
    void open(const View* view) const; // even if it was closed
    // It comes forward and gets the keys; if it has them, it goes.
    void showOrHide(QDockWidget* dock) const;

    bool serve(Request request) const; // by the first view that can; false: by none
    void openPlace(const QString& book, int line, int column) const;
    bool changeText(const QString& book, const snapshot::Fix& edit) const; // false: nobody shows it
    // Into the first view that holds books; `book` as View::takeText() has it.
    void write(const QString& declarations, const QString& book = {}) const;
    void documentChanged(const DocumentParts& document, Parts parts) const;
    void settleSoon() { m_details.start(); } // of the selection
    bool settled() const;
    bool mayClose() const;
    void close();

    void layOut(const DockLayout& layout = {});
    // A remembered layout stands now.
    void restored();
    void focusCentre() const;
    void cyclePanes(int step);

Q_SIGNALS:
    void busyChanged(); // settled() may be another
    void said(const QString& text);

private:
    void place(Shown& shown);
    void putIntoDock(Shown& shown);
    void listen(Selection& selection);
    void layOutTexts(View* view, bool something);
    void shareRoom(const DockLayout& layout, QDockWidget* below);
    void makeRoom();
    void showHidden();
    std::vector<QWidget*> stops() const;

    QMainWindow& m_window;
    QStackedWidget* m_centre;
    QSplitter* m_work;
    std::vector<Shown> m_shown;
    QTimer m_details; // are asked for when the selection has settled
    ColumnWidths* m_columns;
    QList<QDockWidget*> m_hiddenForTexts;
};

} // namespace fw::ui
