// View: what a dock, or a place in the middle of the window, shows.
//
// A view reads the document's parts and the selection, both of which it is given once, and is told
// when they changed; it decides itself what that means for it. What people do in it and others act
// on is an Intent, which the window handles for all views alike. So the window knows a view by its
// row (app/window/view_rows.cpp) alone, and a view knows nothing of the window.
#pragma once

#include "snapshot/kept_view.h"
#include "views/common/document_parts.h"
#include "views/common/intent.h"
#include "views/common/selection.h"

#include <QWidget>

#include <optional>
#include <vector>

class QAction;

namespace fw::ui {

class StateOverlay;

// Where views add commands, in the order of their rows.
enum class MenuPlace : std::uint8_t {
    Bar,     // the tool bar
    Picture, // File
    Copy,    // Edit
    Zoom,    // View, as the next five
    Panes,
    Blocks,
    Filters, // what is shown of the graphs
    Boxes,   // what boxes and edges say
    Heat,
    Walk,    // Graph
    Changes, // Graph
    Books,   // Rules: of the selected book
    Pins,    // Rules
    Times,   // Profile
    Begin,   // Book: ways to a text
    Text,    // Book: of the text
};

enum class Needs : std::uint8_t { Nothing, Model };
enum class OfNodes : std::uint8_t { No, Yes }; // stands in the menu of a node in a graph as well

struct Command {
    MenuPlace place;
    QAction* action; // of the view; null: a separator
    Needs needs = Needs::Nothing;
    OfNodes ofNodes = OfNodes::No;
};

class View : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    // Before anything else is called. Both live longer.
    void attach(const DocumentParts& document, Selection& selection);
    const DocumentParts& document() const { return *m_document; }
    Selection& selection() const { return *m_selection; }

    // These parts are others, or their states are. At first all of them.
    virtual void documentChanged(Parts) {}
    // Other nodes. `origin` is who set them: this view, another one, or null.
    virtual void selectionChanged(const QObject* /*origin*/) {}
    // The selection is at rest, or detailsWanted was told: time to ask what takes time.
    virtual void selectionSettled() {}
    // A node was pointed at in a graph, whether it was picked already or not.
    virtual void nodePointed(GraphSide, snapshot::NodeId) {}
    virtual void placeChanged() {} // of the selection
    virtual void stepChanged() {}  // likewise
    virtual void litChanged() {}   // likewise
    virtual void filtersChanged() {}
    virtual void revealed(GraphSide, snapshot::NodeId, Selection::Reveal) {}
    virtual void problemAppeared(const Diag&) {}
    virtual void lineLogged(const QString&) {}

    virtual void layOut() {} // its parts as at first

    // Whether it can be seen: a dock behind another tab cannot, although Qt calls it visible.
    void setInFront(bool inFront);
    bool inFront() const { return m_inFront; }
    virtual void frontChanged() {}

    virtual bool serve(Request) { return false; } // false: it is not this view's
    // Shows a place of a book as text; false: it shows no texts.
    virtual bool openPlace(const QString& /*book*/, int /*line*/, int /*column*/) { return false; }
    // Puts declarations into a book, where it is read next: into that of the document which has
    // this name, or the one that is shown if there is no name. False: it holds no books.
    virtual bool takeText(const QString& /*declarations*/, const QString& /*book*/) {
        return false;
    }
    // Puts the text of the edit into its place in a book that it shows; false: it does not.
    virtual bool changeText(const QString& /*book*/, const snapshot::Fix&) { return false; }
    virtual void saving() {} // the document is about to be saved
    // What people left in it, as the document keeps it, and of the model that comes next.
    virtual void keep(snapshot::KeptView&) const {}
    virtual void showKept(const snapshot::KeptView&) {}
    // What they switched, which the next window has again; empty: as at first.
    virtual QString switched() const { return {}; }
    virtual void switchTo(const QString&) {}
    virtual QStringList openBooks() const { return {}; } // whose texts it shows
    virtual bool holdsFiles() const { return false; }    // that can be saved
    // Whether what would be lost may be; asks people.
    virtual bool mayClose() { return true; }
    virtual void closing() {}

    const std::vector<Command>& commands() const { return m_commands; }
    virtual std::vector<QWidget*> stops() { return {this}; } // of F6
    virtual bool settled() const { return true; }            // nothing is pending
    StateOverlay* overlay() const { return m_overlay; }      // null: it has no states

Q_SIGNALS:
    void asked(const fw::ui::Intent& intent);
    void detailChanged(const QString& detail); // beside the title
    void titleChanged(const QString& title);
    void statusChanged(const QString& text); // in the status bar, as long as it is so
    void busyChanged();                      // settled() may be another
    void filesChanged();                     // holdsFiles() may be
    void keptChanged();                      // people left something else in it
    // Of a view in the middle: there is something to show, or nothing any more.
    void filled(bool something);

protected:
    bool isAttached() const { return m_document != nullptr; }
    void setOverlay(StateOverlay* overlay);     // its Cancel stops what is pending
    void setPlanOverlay(StateOverlay* overlay); // of showPlanState(): its action plans again
    void setDetail(const QString& detail) { Q_EMIT detailChanged(detail); }
    // Of a list of groups and nodes, whose ids are those of the fused graph, or of the imported one
    // while there is no other; noNode: the group.
    void pickRow(int group, snapshot::NodeId node);
    QAction* addCommand(MenuPlace place, const QString& text, const QString& keys,
                        const std::function<void()>& run, Needs needs = Needs::Model,
                        OfNodes ofNodes = OfNodes::No);
    void addCommand(const Command& command) { m_commands.push_back(command); }
    void addSeparator(MenuPlace place) { m_commands.push_back({place, nullptr}); }

private:
    std::vector<Command> m_commands;
    const DocumentParts* m_document = nullptr;
    Selection* m_selection = nullptr;
    StateOverlay* m_overlay = nullptr;
    bool m_inFront = false;
};

// What the button says under an error that asking again may mend; empty: it would not.
QString againText(const Diag& diag);

// Of a view that hangs on the plan without showing it: what it has (`filled`) stays usable until
// there is a newer plan. False if there is none and nothing to say: the view says why itself.
bool showPlanState(StateOverlay& overlay, const DocumentParts& document, bool filled);

// What pins call these nodes of the fused graph.
std::vector<std::string> pinNames(const DocumentParts& document, const snapshot::NodeSet& fused);

} // namespace fw::ui
