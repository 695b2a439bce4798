#include "views/graph/pane_reach.h"

#include "snapshot/neighbourhood.h"
#include "views/common/numbers.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostSteps = 50;

} // namespace

void PaneReach::trace() {
    const std::size_t at = m_panes.current();
    const auto graph = m_panes.graphOf(at);
    const snapshot::NodeSet nodes = m_panes.nodesIn(at, m_panes.selection().picked());
    Selection& selection = m_panes.selection();
    if (!graph || nodes.empty() || (selection.lit() && m_tracedFrom == nodes)) {
        if (!selection.lit())
            Q_EMIT m_panes.view().asked(Say{u"select what is to be traced"_s});
        m_tracedFrom.clear();
        selection.setLit(std::nullopt);
    } else {
        const snapshot::NodeSet ways =
            nodes.size() == 2 ? snapshot::waysBetween(*graph, *nodes.begin(), *nodes.rbegin())
                              : snapshot::NodeSet();
        const snapshot::NodeSet lit = ways.empty() ? snapshot::streamOf(*graph, nodes) : ways;
        selection.setLit(m_panes.pickedOf(at, lit));
        m_tracedFrom = nodes;
        Q_EMIT m_panes.view().asked(
            Say{(ways.empty() ? u"%1 up and down stream, Esc for all"_s
                              : u"%1 on the ways between these, Esc for all"_s)
                    .arg(countOf(std::int64_t(lit.size()), u"node"_s))});
    }
}

void PaneReach::show() {
    const std::optional<Picked>& chosen = m_panes.selection().lit();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        const GraphPane* shown = m_panes.pane(i);
        std::optional<std::set<std::int64_t>> lit;
        if (const auto graph = m_panes.graphOf(i); chosen && graph) {
            const snapshot::NodeSet nodes = m_panes.nodesIn(i, *chosen);
            const Ids boxes = m_panes.collapse().boxesOf(shown, nodes);
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

std::optional<std::size_t> PaneReach::around(int by) {
    const std::size_t at = m_around ? m_panes.indexOf(m_around->pane) : m_panes.current();
    if (m_around) {
        m_around->steps = std::clamp(m_around->steps + by, 0, mostSteps);
    } else {
        const snapshot::NodeSet nodes = m_panes.nodesIn(at, m_panes.selection().picked());
        if (nodes.empty() || m_panes.joint().shown())
            Q_EMIT m_panes.view().asked(Say{nodes.empty()
                                                ? u"select the middle of a neighbourhood first"_s
                                                : u"a neighbourhood is shown of graphs apart"_s});
        m_around = Around{m_panes.graphOf(at), m_panes.pane(at), nodes, 1};
    }
    return at;
}

// Null: all of it is shown.
Shared<snapshot::GraphDocument> PaneReach::partOf(std::size_t at) {
    const auto graph = m_panes.graphOf(at);
    if (!m_around || m_around->pane != m_panes.pane(at))
        return nullptr;
    if (m_around->graph != graph) { // ids of the new one are others
        m_around.reset();
        return nullptr;
    }
    const snapshot::NodeSet nodes = snapshot::nodesAround(*graph, m_around->nodes, m_around->steps);
    m_panes.pane(at)->setDetail(u"%1 within %2, I for more, Esc for all"_s.arg(
        countOf(std::int64_t(nodes.size()), u"node"_s), countOf(m_around->steps, u"step"_s)));
    return std::make_shared<const snapshot::GraphDocument>(snapshot::partOf(*graph, nodes));
}

std::optional<std::size_t> PaneReach::end() {
    if (m_panes.selection().lit() || !m_around) {
        m_panes.selection().setLit(std::nullopt);
        return {};
    }
    return m_panes.indexOf(std::exchange(m_around, {})->pane);
}

} // namespace fw::ui
