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

// Of a difference each node has its share in the time of the groups that are compared.
GraphCanvas::HeatOf PaneHeat::valuesOfNodes() const {
    GraphCanvas::HeatOf out;
    const auto& rows = m_panes.document().profileResult()->rows;
    if (m_heat == Heat::Difference) {
        const auto compared = comparedTimes(m_panes.document());
        if (!compared)
            return out;
        std::map<int, const snapshot::GroupDifference*> differences;
        for (const auto& one : compared->groups)
            for (const int group : one.groupIds)
                differences[group] = &one;
        for (const auto& row : rows)
            if (const auto found = differences.find(row.groupId); found != differences.end()) {
                const snapshot::TimeDifference& time = found->second->time;
                if (!time.beforeUs || !time.afterUs)
                    continue;
                const double by = time.code.empty() ? *time.afterUs - *time.beforeUs : 0;
                for (const auto& node : row.nodes)
                    out[node.id] =
                        by * row.medianUs * node.share.value_or(0) / std::max(*time.afterUs, 1e-9);
            }
        return out;
    }
    for (const auto& row : rows) {
        if (m_heat == Heat::Slowness && !(row.flops && *row.flops > 0))
            continue;
        for (const auto& node : row.nodes)
            out[node.id] = m_heat == Heat::Time ? row.medianUs * node.share.value_or(0)
                                                : row.medianUs * 1e6 / *row.flops;
    }
    return out;
}

// Relative to the hottest group or node: a share of the time, or the time per operation. A group,
// or a region, takes as long as its nodes together, and is as slow as the slowest of them. What is
// compared with the document's plan was not measured.
void PaneHeat::show() const {
    GraphCanvas::HeatOf nodes;
    const bool measured = m_heat != Heat::None &&
                          m_panes.document().state(Part::Profile) == State::Ready &&
                          m_panes.document().fused();
    if (measured)
        nodes = valuesOfNodes();
    const bool sums = m_heat != Heat::Slowness;
    const bool signs = m_heat == Heat::Difference;
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        const auto side = m_panes.sideOf(i);
        if (!measured || !side) {
            m_panes.pane(i)->canvas()->setHeat({});
            continue;
        }
        const auto graph =
            *side == GraphSide::Fused ? m_panes.graphOf(i) : m_panes.document().fused();
        GraphCanvas::HeatOf boxes = nodes, containers;
        double hottest = 0;
        for (const auto& node : graph->nodes) {
            const auto heat = nodes.find(node.id);
            if (heat == nodes.end())
                continue;
            double& all = node.group < 0 ? hottest : containers[node.group];
            all = node.group >= 0 && sums ? all + heat->second : std::max(all, heat->second);
            hottest = std::max(hottest, std::abs(all));
        }
        const auto together = sums ? Collapse::Together::Sum : Collapse::Together::Most;
        const auto inBlocks = m_panes.collapse().onBoxes(m_panes.pane(i), nodes, together);
        if (*side == GraphSide::Fused)
            for (const auto& [id, heat] : inBlocks)
                hottest = std::max(hottest, std::abs(heat));
        // Times per operation differ by orders of magnitude.
        const auto share = [&](GraphCanvas::HeatOf& all) {
            for (auto& [id, heat] : all)
                heat = hottest <= 0 ? 0
                       : sums       ? heat / hottest
                                    : std::log1p(heat) / std::log1p(hottest);
        };
        if (*side == GraphSide::Fused)
            boxes = inBlocks;
        share(boxes);
        share(containers);
        if (*side == GraphSide::Imported) {
            GraphCanvas::HeatOf imported;
            for (const auto& [id, heat] : boxes)
                for (const auto origin : m_panes.selection().provenance().toImported({id}))
                    if (double& most = imported[origin]; std::abs(heat) > std::abs(most))
                        most = heat;
            boxes = m_panes.collapse().onBoxes(m_panes.pane(i), imported, together);
            containers.clear();
        }
        m_panes.pane(i)->canvas()->setHeat(
            std::move(boxes), std::move(containers),
            !sums ? QString::number(hottest, 'g', 3) + u" ps per FLOP (log)"_s
            : signs
                ? u"± %1 to the baseline"_s.arg(QString::fromStdString(snapshot::timeText(hottest)))
                : QString::fromStdString(snapshot::timeText(hottest)),
            signs ? GraphCanvas::HeatScale::BothWays : GraphCanvas::HeatScale::FromZero);
    }
}

} // namespace fw::ui
