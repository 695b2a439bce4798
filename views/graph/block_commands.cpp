// How blocks are opened and closed: keys, the mouse, the menu.
#include "views/graph/graphs_view.h"

#include <QAction>

namespace fw::ui {

using namespace Qt::StringLiterals;

void GraphsView::connectBlocks(GraphPane* shown) {
    GraphCanvas* canvas = shown->canvas();
    const auto toggle = [this, shown](std::int64_t id, QPointF at) {
        m_collapse->toggle(shown, id, at);
    };
    connect(canvas, &GraphCanvas::activated, this, [toggle](std::int64_t id, QPointF at) {
        if (snapshot::isBlock(id))
            toggle(id, at);
    });
    connect(canvas, &GraphCanvas::containerActivated, this, toggle);
    connect(canvas, &GraphCanvas::wholeActivated, this, [this, shown](std::int64_t id, QPointF at) {
        if (snapshot::isBlock(id))
            m_collapse->openAll(shown, id, at);
    });
    connect(canvas, &GraphCanvas::leaveWanted, this,
            [this, shown, canvas] { m_collapse->closeAround(shown, canvas->selected()); });
}

void GraphsView::addBlockCommands() {
    addCommand(MenuPlace::View, u"&Close all blocks"_s, u"Ctrl+Alt+-"_s,
               [this] { m_collapse->closeEverything(); });
    addCommand(MenuPlace::View, u"&Open all blocks"_s, u"Ctrl+Alt++"_s,
               [this] { m_collapse->openEverything(); });
    addCommand(
        MenuPlace::View, u"Close the &block around"_s, u"Ctrl+Backspace"_s,
        [this] {
            const GraphPane* shown = pane(currentPane());
            if (current() == shown->canvas())
                m_collapse->closeAround(shown, current()->selected());
        },
        Needs::Model, OfNodes::Yes);
    const auto walkCopies = [this](int step) {
        const std::size_t at = currentPane();
        const snapshot::NodeSet nodes = nodesIn(at, selection().picked());
        if (nodes.empty())
            return Q_EMIT asked(Say{u"select a node first"_s});
        const snapshot::NodeId next = m_collapse->inNextCopy(pane(at), *nodes.begin(), step);
        if (next == snapshot::noNode)
            return Q_EMIT asked(Say{u"what is selected lies in no block that is repeated"_s});
        selection().pick(pickedOf(at, {next}));
        m_collapse->reveal(pane(at), next);
        comeIntoView(at, {next, Selection::Reveal::IntoView, true});
    };
    addCommand(
        MenuPlace::Walk, u"Same place in the next &copy"_s, u"Ctrl+Alt+]"_s,
        [walkCopies] { walkCopies(+1); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Walk, u"Same place in the copy &before"_s, u"Ctrl+Alt+["_s,
               [walkCopies] { walkCopies(-1); });
}

} // namespace fw::ui
