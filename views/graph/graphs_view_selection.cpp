// What is picked, from pane to pane: nodes of the document's two graphs are translated by origins,
// those of other states by what lives on as well.
#include "views/graph/graphs_view.h"

#include <algorithm>

namespace fw::ui {

namespace {

constexpr GraphSide sides[] = {GraphSide::Imported, GraphSide::Fused};

// Only what a canvas shows: constants are folded into their consumers.
snapshot::NodeSet drawn(const snapshot::GraphDocument* graph, snapshot::NodeSet ids) {
    std::erase_if(ids, [&](snapshot::NodeId id) {
        const auto* node = nodeOf(graph, id);
        return !node || node->constant;
    });
    return ids;
}

// All of its members; -1: they are no region.
int wholeRegion(const snapshot::GraphDocument& regions, const snapshot::NodeSet& ids) {
    const auto* first = ids.empty() ? nullptr : nodeOf(&regions, *ids.begin());
    if (!first || first->group < 0)
        return -1;
    std::size_t members = 0;
    for (const auto& node : regions.nodes) {
        const bool isIn = ids.contains(node.id);
        if (isIn != (node.group == first->group && !node.constant))
            return -1;
        members += isIn;
    }
    return members == ids.size() ? first->group : -1;
}

} // namespace

// Nodes of the document's two graphs that those of the pane stand for.
Picked GraphsView::pickedOf(std::size_t at, const snapshot::NodeSet& ids,
                            snapshot::NodeId subject) const {
    if (const auto side = sideOf(at)) {
        Picked out = selection().of(*side, ids, subject);
        if (m_panes[at].state.is(Stage::Partitioned) && graphOf(at) == document().regions())
            out.region = wholeRegion(*document().regions(), ids);
        return out;
    }
    Picked out;
    const auto& graph = m_panes[at].drawn;
    for (const snapshot::NodeId id : ids) {
        const auto place = m_joint->placeOf(pane(at), id);
        const std::size_t known = out.fused.size() + out.imported.size();
        for (const GraphSide side : sides)
            if (const auto other = paneOf(side); place && other)
                if (const snapshot::NodeId there = m_joint->nodeAt(pane(*other), *place);
                    there != snapshot::noNode)
                    (side == GraphSide::Fused ? out.fused : out.imported).insert(there);
        const auto* node = nodeOf(graph.get(), id);
        if (known == out.fused.size() + out.imported.size() && node && document().imported() &&
            graph->imported == document().imported()->imported)
            out.imported.insert(node->origins.begin(), node->origins.end());
    }
    if (out.fused.empty())
        return selection().ofImported(std::move(out.imported));
    Picked all = selection().ofFused(std::move(out.fused));
    all.imported.merge(out.imported);
    return all;
}

snapshot::NodeSet GraphsView::nodesIn(std::size_t at, const Picked& picked) const {
    if (const auto side = sideOf(at))
        return *side == GraphSide::Imported ? drawn(document().imported().get(), picked.imported)
                                            : drawn(document().fused().get(), picked.fused);
    snapshot::NodeSet ids;
    for (const GraphSide side : sides)
        if (const auto other = paneOf(side))
            for (const snapshot::NodeId id :
                 side == GraphSide::Imported ? picked.imported : picked.fused)
                if (const auto place = m_joint->placeOf(pane(*other), id))
                    if (const auto there = m_joint->nodeAt(pane(at), *place);
                        there != snapshot::noNode)
                        ids.insert(there);
    const auto& graph = m_panes[at].drawn;
    if (ids.empty() && graph && document().imported() &&
        graph->imported == document().imported()->imported)
        for (const auto& node : graph->nodes)
            if (std::any_of(node.origins.begin(), node.origins.end(),
                            [&](snapshot::NodeId id) { return picked.imported.contains(id); }))
                ids.insert(node.id);
    return drawn(graph.get(), std::move(ids));
}

void GraphsView::picked(std::size_t at, const std::vector<std::int64_t>& boxes) {
    const snapshot::NodeSet nodes = m_collapse->nodesOf(pane(at), boxes);
    m_pointed = at;
    selection().pick(pickedOf(at, nodes, pane(at)->canvas()->focused()), this, sideOf(at));
    m_pointed.reset();
    if (nodes.size() == 1)
        sayCounterpart(at, *nodes.begin());
}

// What is picked elsewhere, and hidden in a closed block, is opened if it is little.
void GraphsView::selectionChanged(const QObject* origin) {
    const std::size_t opened = origin == this ? 1 : 20; // nodes, at most
    showSelection(origin);
    showHalos();
    Collapse::NodesOf others;
    std::vector<std::size_t> places;
    std::size_t most = 0;
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        snapshot::NodeSet nodes = m_pointed == i && origin == this
                                      ? m_collapse->nodesOf(pane(i), pane(i)->canvas()->selected())
                                      : nodesIn(i, selection().picked());
        for (const snapshot::NodeId id : nodes)
            if (const auto place = m_joint->placeOf(pane(i), id))
                places.push_back(*place);
        if (m_pointed == i && origin == this)
            continue;
        most = std::max(most, nodes.size());
        others[pane(i)] = std::move(nodes);
    }
    const bool opens = most <= opened;
    if (opens)
        m_collapse->reveal(others);
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (const auto found = others.find(pane(i));
            found != others.end() && !found->second.empty()) {
            const Picked& now = selection().picked();
            const snapshot::NodeId subject =
                sideOf(i) == GraphSide::Imported ? now.importedSubject : now.fusedSubject;
            const bool isHere = sideOf(i) && found->second.contains(subject);
            comeIntoView(
                i, {isHere ? subject : *found->second.begin(), Selection::Reveal::IntoView, opens});
        }
    m_joint->reach(places);
}

void GraphsView::showSelection(const QObject* origin) {
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (origin != this || m_pointed != i)
            pane(i)->canvas()->setSelected(
                m_collapse->boxesOf(pane(i), nodesIn(i, selection().picked())));
}

// Now, or with the picture that is being made.
void GraphsView::comeIntoView(std::size_t at, const Awaited& what) {
    m_panes[at].awaited = what;
    if (!pane(at)->busy() && pane(at)->canvas()->picture())
        showAwaited(at);
}

void GraphsView::showAwaited(std::size_t at) {
    const auto awaited = std::exchange(m_panes[at].awaited, {});
    if (!awaited)
        return;
    const std::int64_t box = m_collapse->boxOf(pane(at), awaited->node);
    if (awaited->opens && box != awaited->node) { // of a graph that was not there before
        m_panes[at].awaited = Awaited{awaited->node, awaited->how, false};
        return m_collapse->reveal(pane(at), awaited->node);
    }
    if (awaited->how == Selection::Reveal::InTheMiddle)
        pane(at)->canvas()->centerOn(box);
    else
        pane(at)->canvas()->reveal(box);
}

} // namespace fw::ui
