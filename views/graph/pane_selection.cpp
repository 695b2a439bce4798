#include "views/graph/pane_selection.h"

#include "snapshot/insides.h"
#include "snapshot/reorders.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

snapshot::NodeSet PaneSelection::pick(std::size_t at, const std::vector<std::int64_t>& boxes) {
    snapshot::NodeSet nodes = m_panes.collapse().nodesOf(m_panes.pane(at), boxes);
    const auto result = boxes.size() == 1 ? m_panes.resultAt(at, boxes.front()) : std::nullopt;
    if (result)
        nodes = {result->maker};
    Picked picked = m_panes.pickedOf(at, nodes, m_panes.pane(at)->canvas()->focused());
    if (const auto& plan = m_panes.document().plan();
        plan && boxes.size() == 1 && snapshot::isReorder(boxes.front()))
        if (const auto reorder = snapshot::reorderOf(*plan, boxes.front()); reorder.group) {
            picked = m_panes.selection().ofGroup(reorder.group->id);
            picked.reorder = boxes.front();
            nodes = picked.fused;
        }
    if (result)
        picked.result = result->number;
    m_panes.collapse().keepOpen(m_panes.pane(at), nodes);
    m_pointed = at;
    m_panes.selection().pick(picked, &m_panes.view(), m_panes.sideOf(at));
    m_pointed.reset();
    return nodes;
}

bool PaneSelection::hasBox(std::size_t at, snapshot::NodeId reorder) const {
    const auto picture = m_panes.pane(at)->canvas()->picture();
    return reorder != snapshot::noNode && picture &&
           std::any_of(picture->boxes.begin(), picture->boxes.end(),
                       [&](const picture::PlacedBox& box) { return box.id == reorder; });
}

void PaneSelection::show(const QObject* origin) const {
    const Picked& picked = m_panes.selection().picked();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (origin == &m_panes.view() && m_pointed == i)
            continue;
        const auto result = m_panes.boxOfResult(i, picked.result);
        m_panes.pane(i)->canvas()->setSelected(
            result ? Ids{*result}
            : hasBox(i, picked.reorder)
                ? Ids{picked.reorder}
                : m_panes.collapse().boxesOf(m_panes.pane(i), m_panes.nodesIn(i, picked)));
    }
}

void PaneSelection::follow(const QObject* origin) {
    const std::size_t opened = origin == &m_panes.view() ? 1 : 20; // nodes, at most
    Collapse::NodesOf others;
    std::vector<std::size_t> places;
    std::size_t most = 0;
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        snapshot::NodeSet nodes =
            m_pointed == i && origin == &m_panes.view()
                ? m_panes.collapse().nodesOf(m_panes.pane(i), m_panes.pane(i)->canvas()->selected())
                : m_panes.nodesIn(i, m_panes.selection().picked());
        for (const snapshot::NodeId id : nodes)
            if (const auto place = m_panes.joint().placeOf(m_panes.pane(i), id))
                places.push_back(*place);
        if (m_pointed == i && origin == &m_panes.view())
            continue;
        most = std::max(most, nodes.size());
        others[m_panes.pane(i)] = std::move(nodes);
    }
    const bool opens = most <= opened;
    if (opens)
        m_panes.collapse().reveal(others);
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (const auto found = others.find(m_panes.pane(i));
            found != others.end() && !found->second.empty()) {
            const Picked& now = m_panes.selection().picked();
            const snapshot::NodeId subject =
                m_panes.sideOf(i) == GraphSide::Imported ? now.importedSubject : now.fusedSubject;
            const bool isHere = m_panes.sideOf(i) && found->second.contains(subject);
            await(i,
                  {isHere ? subject : *found->second.begin(), Selection::Reveal::IntoView, opens});
        }
    m_panes.joint().reach(places);
}

void PaneSelection::comeIntoView(std::size_t at, snapshot::NodeId node, Selection::Reveal how) {
    await(at, {node, how, true});
}

void PaneSelection::await(std::size_t at, const Awaited& what) {
    m_awaited[m_panes.pane(at)] = what;
    if (!m_panes.pane(at)->busy() && m_panes.pane(at)->canvas()->picture())
        arrived(m_panes.pane(at));
}

void PaneSelection::arrived(const GraphPane* pane) {
    const auto found = m_awaited.extract(pane);
    if (!found)
        return;
    Awaited awaited = found.mapped();
    const std::int64_t box = m_panes.collapse().boxOf(pane, awaited.node);
    if (awaited.opens && box != m_panes.collapse().seenAs(
                                    pane, awaited.node)) { // of a graph that was not there before
        awaited.opens = false;
        m_awaited[pane] = awaited;
        return m_panes.collapse().reveal(pane, awaited.node);
    }
    if (awaited.how == Selection::Reveal::InTheMiddle)
        pane->canvas()->centerOn(box);
    else
        pane->canvas()->reveal(box);
}

void PaneSelection::walk(GraphSide side, int step) const {
    const bool imported = side == GraphSide::Imported;
    const auto& graph = imported ? m_panes.document().imported() : m_panes.document().fused();
    if (!graph)
        return;
    std::vector<snapshot::NodeId> order;
    const auto inside = snapshot::nodesInside(*graph);
    for (const auto& node : graph->nodes)
        if (!node.constant && !inside.contains(node.id))
            order.push_back(node.id);
    if (order.empty())
        return;
    const Picked& picked = m_panes.selection().picked();
    const snapshot::NodeSet& now = imported ? picked.imported : picked.fused;
    const auto last = std::ptrdiff_t(order.size()) - 1;
    const auto at = std::find_if(order.begin(), order.end(),
                                 [&](snapshot::NodeId id) { return now.contains(id); });
    const std::ptrdiff_t next =
        at == order.end() ? (step > 0 ? 0 : last)
                          : std::clamp<std::ptrdiff_t>(at - order.begin() + step, 0, last);
    m_panes.selection().pick(m_panes.selection().of(side, {order[std::size_t(next)]}));
}

void PaneSelection::walkCopies(std::size_t at, int step) {
    const snapshot::NodeSet nodes = m_panes.nodesIn(at, m_panes.selection().picked());
    if (nodes.empty())
        return Q_EMIT m_panes.view().asked(Say{u"select a node first"_s});
    Collapse& collapse = m_panes.collapse();
    const snapshot::NodeId next = collapse.inNextCopy(m_panes.pane(at), *nodes.begin(), step);
    if (next == snapshot::noNode)
        return Q_EMIT m_panes.view().asked(
            Say{u"what is selected lies in no block that is repeated"_s});
    m_panes.selection().pick(m_panes.pickedOf(at, {next}));
    collapse.reveal(m_panes.pane(at), next);
    comeIntoView(at, next);
}

} // namespace fw::ui
