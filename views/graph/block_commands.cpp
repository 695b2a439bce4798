// How blocks are opened and closed: keys, the mouse, the menu.
#include "views/graph/graphs_view.h"

#include <QAction>

namespace fw::ui {

using namespace Qt::StringLiterals;

void GraphsView::connectBlocks(GraphSide side) {
    GraphCanvas* canvas = pane(side)->canvas();
    const auto toggle = [this, side](std::int64_t id, QPointF at) {
        m_collapse->toggle(side, id, at);
    };
    connect(canvas, &GraphCanvas::activated, this, [toggle](std::int64_t id, QPointF at) {
        if (snapshot::isBlock(id))
            toggle(id, at);
    });
    connect(canvas, &GraphCanvas::containerActivated, this, toggle);
    connect(canvas, &GraphCanvas::wholeActivated, this, [this, side](std::int64_t id, QPointF at) {
        if (snapshot::isBlock(id))
            m_collapse->openAll(side, id, at);
    });
    connect(canvas, &GraphCanvas::leaveWanted, this,
            [this, side, canvas] { m_collapse->closeAround(side, canvas->selected()); });
}

void GraphsView::addBlockCommands() {
    addCommand(Place::View, u"&Close all blocks"_s, u"Ctrl+Alt+-"_s,
               [this] { m_collapse->closeEverything(); });
    addCommand(Place::View, u"&Open all blocks"_s, u"Ctrl+Alt++"_s,
               [this] { m_collapse->openEverything(); });
    addCommand(
        Place::View, u"Close the &block around"_s, u"Ctrl+Backspace"_s,
        [this] {
            if (current() == pane(side())->canvas())
                m_collapse->closeAround(side(), current()->selected());
        },
        Needs::Model, OfNodes::Yes);
    const auto walkCopies = [this](int step) {
        const Picked& picked = selection().picked();
        const GraphSide at = side();
        const auto& nodes = at == GraphSide::Imported ? picked.imported : picked.fused;
        if (nodes.empty())
            return Q_EMIT said(u"select a node first"_s);
        const snapshot::NodeId next = m_collapse->inNextCopy(at, *nodes.begin(), step);
        if (next == snapshot::noNode)
            return Q_EMIT said(u"what is selected lies in no block that is repeated"_s);
        selection().pick(selection().of(at, {next}));
        selection().reveal(at, next);
    };
    addCommand(
        Place::Walk, u"Same place in the next &copy"_s, u"Ctrl+Alt+]"_s,
        [walkCopies] { walkCopies(+1); }, Needs::Model, OfNodes::Yes);
    addCommand(Place::Walk, u"Same place in the copy &before"_s, u"Ctrl+Alt+["_s,
               [walkCopies] { walkCopies(-1); });
}

} // namespace fw::ui
