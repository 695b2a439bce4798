#include "views/graph/pane_reach.h"

#include "snapshot/neighbourhood.h"
#include "views/common/numbers.h"

namespace fw::ui {

using namespace Qt::StringLiterals;

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
    }
}

bool PaneReach::end() {
    const bool any = m_panes.selection().lit().has_value();
    m_panes.selection().setLit(std::nullopt);
    return any;
}

} // namespace fw::ui
