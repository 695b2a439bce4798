#include "views/graph/graph_panes.h"

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

GraphPanes::GraphPanes(View& view)
    : m_view(view), m_collapse(new Collapse(&view)), m_joint(new JointPanes(m_collapse, &view)) {}

void GraphPanes::add(GraphPane* pane, const GraphState& state) {
    m_shown.push_back({pane, state});
    m_collapse->add(pane);
}

bool GraphPanes::anyShows(Stage stage) const {
    return std::any_of(m_shown.begin(), m_shown.end(),
                       [&](const ShownPane& shown) { return shown.state.is(stage); });
}

std::size_t GraphPanes::indexOf(const GraphPane* pane) const {
    return std::size_t(std::find_if(m_shown.begin(), m_shown.end(),
                                    [&](const ShownPane& shown) { return shown.pane == pane; }) -
                       m_shown.begin());
}

std::size_t GraphPanes::current() const {
    for (std::size_t i = 0; i < m_shown.size(); ++i)
        if (pane(i)->isAncestorOf(m_view.window()->focusWidget()))
            return i;
    return 1;
}

std::optional<std::size_t> GraphPanes::paneOf(GraphSide side) const {
    for (std::size_t i = 0; i < m_shown.size(); ++i)
        if (sideOf(i) == side)
            return i;
    return {};
}

std::optional<GraphSide> GraphPanes::sideOf(std::size_t pane) const {
    const GraphState& state = m_shown[pane].state;
    if (state.is(Stage::Imported))
        return GraphSide::Imported;
    return state.hasFusedIds() ? std::optional(GraphSide::Fused) : std::nullopt;
}

const StateGraph* GraphPanes::compared(std::size_t at) const {
    static const StateGraph none;
    if (sideOf(at))
        return nullptr;
    const auto found = document().stateGraphs().find(m_shown[at].state);
    return found == document().stateGraphs().end() ? &none : &found->second;
}

State GraphPanes::stateOf(std::size_t at) const {
    if (const StateGraph* other = compared(at))
        return other->state;
    return document().state(sideOf(at) == GraphSide::Imported ? Part::Imported : Part::Fused);
}

Shared<snapshot::GraphDocument> GraphPanes::graphOf(std::size_t at) const {
    if (const StateGraph* other = compared(at))
        return other->graph;
    if (sideOf(at) == GraphSide::Imported)
        return document().imported();
    const bool regions =
        m_shown[at].state.is(Stage::Partitioned) && document().state(Part::Regions) == State::Ready;
    return regions ? document().regions() : document().fused();
}

// Nodes of the document's two graphs that those of the pane stand for.
Picked GraphPanes::pickedOf(std::size_t at, const snapshot::NodeSet& ids,
                            snapshot::NodeId subject) const {
    if (const auto side = sideOf(at)) {
        Picked out = selection().of(*side, ids, subject);
        if (m_shown[at].state.is(Stage::Partitioned) && graphOf(at) == document().regions())
            out.region = wholeRegion(*document().regions(), ids);
        return out;
    }
    Picked out;
    const auto& graph = m_shown[at].drawn;
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

snapshot::NodeSet GraphPanes::nodesIn(std::size_t at, const Picked& picked) const {
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
    const auto& graph = m_shown[at].drawn;
    if (ids.empty() && graph && document().imported() &&
        graph->imported == document().imported()->imported)
        for (const auto& node : graph->nodes)
            if (std::any_of(node.origins.begin(), node.origins.end(),
                            [&](snapshot::NodeId id) { return picked.imported.contains(id); }))
                ids.insert(node.id);
    return drawn(graph.get(), std::move(ids));
}

const std::vector<snapshot::InputRef>* GraphPanes::resultsIn(std::size_t at) const {
    if (m_joint->stateOf(pane(at)))
        return &m_joint->graph()->graph.results;
    if (m_shown[at].seen)
        return &m_shown[at].seen->graph.results;
    const auto& graph = m_shown[at].drawn;
    return graph ? &graph->results : nullptr;
}

std::optional<GraphPanes::Result> GraphPanes::resultAt(std::size_t at, std::int64_t box) const {
    const auto* shown = resultsIn(at);
    const std::int64_t place = picture::firstResultBox - box;
    if (!shown || place < 0 || place >= std::int64_t(shown->size()))
        return {};
    const auto& all = m_shown[at].drawn->results;
    const auto same = std::find_if(all.begin(), all.end(), [&](const snapshot::InputRef& result) {
        return result.name == (*shown)[std::size_t(place)].name;
    });
    if (same == all.end())
        return {};
    return Result{int(same - all.begin()), same->node};
}

std::optional<std::int64_t> GraphPanes::boxOfResult(std::size_t at, int number) const {
    const auto* shown = resultsIn(at);
    const auto& graph = m_shown[at].drawn;
    if (!shown || !graph || number < 0 || std::size_t(number) >= graph->results.size())
        return {};
    for (std::size_t i = 0; i < shown->size(); ++i)
        if ((*shown)[i].name == graph->results[std::size_t(number)].name)
            return picture::firstResultBox - std::int64_t(i);
    return {};
}

} // namespace fw::ui
