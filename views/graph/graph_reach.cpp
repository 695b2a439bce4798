// What is connected with the selection: lit while the rest is dimmed, or shown alone.
#include "views/graph/graphs_view.h"

#include "snapshot/neighbourhood.h"
#include "views/common/numbers.h"

#include <QAction>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostSteps = 50;

} // namespace

void GraphsView::addReachCommands() {
    addCommand(
        MenuPlace::View, u"&Trace up and down stream (T)"_s, u"Ctrl+Alt+0"_s, [this] { trace(); },
        Needs::Model, OfNodes::Yes);
    addCommand(
        MenuPlace::View, u"Only the &neighbourhood, a step more (I)"_s, u"Ctrl+Alt+9"_s,
        [this] { showAround(+1); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::View, u"The neighbourhood, a step &less (Shift+I)"_s, u"Ctrl+Alt+8"_s,
               [this] { showAround(-1); });
}

void GraphsView::connectReach(GraphPane* shown) {
    GraphCanvas* canvas = shown->canvas();
    connect(canvas, &GraphCanvas::traceWanted, this, &GraphsView::trace);
    connect(canvas, &GraphCanvas::aroundWanted, this, &GraphsView::showAround);
    connect(canvas, &GraphCanvas::escaped, this, &GraphsView::endReach);
}

// Of the selection, in the graph that has the keys; the other ones show the same nodes. Of two
// nodes the ways between them, if there is one. Without a selection, or when it is traced already,
// everything is shown as before.
void GraphsView::trace() {
    const std::size_t at = currentPane();
    const auto graph = graphOf(at);
    const snapshot::NodeSet nodes = nodesIn(at, selection().picked());
    if (!graph || nodes.empty() || (m_traced && m_tracedFrom == nodes)) {
        if (!m_traced)
            Q_EMIT asked(Say{u"select what is to be traced"_s});
        m_traced.reset();
    } else {
        const snapshot::NodeSet ways =
            nodes.size() == 2 ? snapshot::waysBetween(*graph, *nodes.begin(), *nodes.rbegin())
                              : snapshot::NodeSet();
        const snapshot::NodeSet lit = ways.empty() ? snapshot::streamOf(*graph, nodes) : ways;
        m_traced = pickedOf(at, lit);
        m_tracedFrom = nodes;
        m_tracedIn[0] = document().imported();
        m_tracedIn[1] = document().fused();
        Q_EMIT asked(Say{(ways.empty() ? u"%1 up and down stream, Esc for all"_s
                                       : u"%1 on the ways between these, Esc for all"_s)
                             .arg(countOf(std::int64_t(lit.size()), u"node"_s))});
    }
    showTrace();
}

void GraphsView::showTrace() {
    if (m_tracedIn[0] != document().imported() || m_tracedIn[1] != document().fused())
        m_traced.reset(); // ids of the new graphs are others
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        const GraphPane* shown = pane(i);
        std::optional<std::set<std::int64_t>> lit;
        if (const auto graph = graphOf(i); m_traced && graph) {
            const snapshot::NodeSet nodes = nodesIn(i, *m_traced);
            const Ids boxes = m_collapse->boxesOf(shown, nodes);
            lit.emplace(boxes.begin(), boxes.end());
            std::int64_t box = picture::firstResultBox;
            for (const snapshot::InputRef& result : graph->results) {
                if (nodes.contains(result.node))
                    lit->insert(box);
                --box;
            }
        }
        shown->canvas()->setLit(std::move(lit));
        shown->canvas()->setPart(m_around && m_around->pane == shown ? GraphCanvas::Part::Some
                                                                     : GraphCanvas::Part::All);
    }
}

void GraphsView::showAround(int by) {
    const std::size_t at = m_around ? indexOf(m_around->pane) : currentPane();
    if (m_around) {
        m_around->steps = std::clamp(m_around->steps + by, 0, mostSteps);
    } else {
        const snapshot::NodeSet nodes = nodesIn(at, selection().picked());
        if (nodes.empty() || m_joint->shown())
            return Q_EMIT asked(Say{nodes.empty() ? u"select the middle of a neighbourhood first"_s
                                                  : u"a neighbourhood is shown of graphs apart"_s});
        m_around = Around{graphOf(at), pane(at), nodes, 1};
    }
    m_panes[at].drawn = nullptr;
    showGraph(at);
    showTrace();
}

// Null: all of it is shown.
Shared<snapshot::GraphDocument> GraphsView::partOf(std::size_t at) {
    const auto graph = graphOf(at);
    if (!m_around || m_around->pane != pane(at))
        return nullptr;
    if (m_around->graph != graph) { // ids of the new one are others
        m_around.reset();
        return nullptr;
    }
    const snapshot::NodeSet nodes = snapshot::nodesAround(*graph, m_around->nodes, m_around->steps);
    pane(at)->setDetail(u"%1 within %2, I for more, Esc for all"_s.arg(
        countOf(std::int64_t(nodes.size()), u"node"_s), countOf(m_around->steps, u"step"_s)));
    return std::make_shared<const snapshot::GraphDocument>(snapshot::partOf(*graph, nodes));
}

void GraphsView::endReach() {
    if (m_traced) {
        m_traced.reset();
    } else if (m_around) {
        const std::size_t at = indexOf(m_around->pane);
        m_around.reset();
        m_panes[at].drawn = nullptr;
        showGraph(at);
    }
    showTrace();
}

} // namespace fw::ui
