#include "views/graph/pane_heat.h"

#include "snapshot/time_text.h"

#include <algorithm>
#include <cmath>

namespace fw::ui {

using namespace Qt::StringLiterals;

void PaneHeat::set(Heat heat) {
    m_heat = heat;
    show();
}

bool PaneHeat::isMeasured() const {
    return m_heat != Heat::None && m_panes.document().state(Part::Profile) == State::Ready &&
           m_panes.document().fused();
}

// By node of the fused graph: a share of the time, or the time per operation.
GraphCanvas::HeatOf PaneHeat::ofNodes() const {
    GraphCanvas::HeatOf out;
    for (const auto& row : m_panes.document().profileResult()->rows) {
        if (m_heat == Heat::Slowness && !(row.flops && *row.flops > 0))
            continue;
        for (const auto& node : row.nodes)
            out[node.id] = m_heat == Heat::Time ? row.medianUs * node.share.value_or(0)
                                                : row.medianUs * 1e6 / *row.flops;
    }
    return out;
}

// Relative to the hottest group or node. A group, or a region, takes as long as its nodes together,
// and is as slow as the slowest of them. What is compared with the document's plan was not
// measured.
void PaneHeat::show() const {
    const GraphCanvas::HeatOf nodes = isMeasured() ? ofNodes() : GraphCanvas::HeatOf();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (isMeasured() && m_panes.sideOf(i))
            showIn(i, nodes);
        else
            m_panes.pane(i)->canvas()->setHeat({});
    }
}

void PaneHeat::showIn(std::size_t i, const GraphCanvas::HeatOf& nodes) const {
    const bool isFused = *m_panes.sideOf(i) == GraphSide::Fused;
    const bool isImported = *m_panes.sideOf(i) == GraphSide::Imported;
    const auto graph = isFused ? m_panes.graphOf(i) : m_panes.document().fused();
    GraphCanvas::HeatOf boxes = nodes, containers;
    double hottest = 0;
    for (const auto& node : graph->nodes) {
        const auto heat = nodes.find(node.id);
        if (heat == nodes.end())
            continue;
        double& all = node.group < 0 ? hottest : containers[node.group];
        all = node.group >= 0 && m_heat == Heat::Time ? all + heat->second
                                                      : std::max(all, heat->second);
        hottest = std::max(hottest, all);
    }
    const auto together = m_heat == Heat::Time ? Collapse::Together::Sum : Collapse::Together::Most;
    const auto inBlocks = m_panes.collapse().onBoxes(m_panes.pane(i), nodes, together);
    if (isFused) {
        for (const auto& [id, heat] : inBlocks)
            hottest = std::max(hottest, heat);
        boxes = inBlocks;
    }
    // Times per operation differ by orders of magnitude.
    const auto share = [&](GraphCanvas::HeatOf& all) {
        for (auto& [id, heat] : all)
            heat = hottest <= 0           ? 0
                   : m_heat == Heat::Time ? heat / hottest
                                          : std::log1p(heat) / std::log1p(hottest);
    };
    share(boxes);
    share(containers);
    if (isImported) {
        GraphCanvas::HeatOf imported;
        for (const auto& [id, heat] : boxes)
            for (const auto origin : m_panes.selection().provenance().toImported({id}))
                imported[origin] = std::max(imported[origin], heat);
        boxes = m_panes.collapse().onBoxes(m_panes.pane(i), imported, together);
        containers.clear();
    }
    m_panes.pane(i)->canvas()->setHeat(
        std::move(boxes), std::move(containers),
        m_heat == Heat::Time ? QString::fromStdString(snapshot::timeText(hottest))
                             : QString::number(hottest, 'g', 3) + u" ps per FLOP (log)"_s);
}

} // namespace fw::ui
