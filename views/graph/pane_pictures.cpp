#include "views/graph/pane_pictures.h"

#include "snapshot/insides.h"
#include "snapshot/reorders.h"
#include "snapshot/time_text.h"
#include "views/common/numbers.h"
#include "views/graph/pane_states.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// Right in the headers of the groups; null: none.
std::map<int, std::string> groupTextsOf(const snapshot::ProfileDocument* times) {
    std::map<int, double> sums;
    if (times)
        for (const auto& row : times->rows)
            sums[row.groupId] += row.medianUs;
    std::map<int, std::string> out;
    for (const auto& [group, us] : sums)
        out[group] = snapshot::timeText(us);
    return out;
}

QString hiddenText(const snapshot::Shown* shown) {
    return shown ? u", %1 hidden"_s.arg(shown->markOf.size()) : QString();
}

// Where what is explained gets out of a group, or comes back: of the pair that is selected.
Halo wayIn(const GraphPanes& panes, std::size_t at) {
    Halo out{{}, Halo::Look::Way, {}};
    const auto explained = panes.document().explanation();
    if (!explained || panes.sideOf(at) != GraphSide::Fused || panes.compared(at) ||
        panes.document().state(Part::Explain) != State::Ready ||
        snapshot::NodeSet(explained->nodes.begin(), explained->nodes.end()) !=
            panes.selection().picked().fused)
        return out;
    for (const snapshot::WayRecord& node : explained->way)
        if (const std::int64_t box = panes.collapse().boxOf(panes.pane(at), node.node);
            out.ids.empty() || out.ids.back() != box)
            out.ids.push_back(box);
    return out;
}

} // namespace

void PanePictures::show(std::size_t at) {
    ShownPane& shown = m_panes[at];
    const auto graph = m_panes.graphOf(at);
    showStateOf(m_panes, at);
    if (!graph) {
        if (std::exchange(shown.drawn, nullptr)) {
            if (m_panes.joint().stateOf(shown.pane))
                m_panes.joint().clear();
            shown.pane->clear();
        }
        return;
    }
    if (m_panes.stateOf(at) != State::Ready)
        return;
    // A new picture only for a new graph; a new time in a header is one, too.
    Shared<snapshot::ProfileDocument> times;
    const bool groups = graph == m_panes.document().fused();
    if (groups && m_panes.document().state(Part::Profile) == State::Ready)
        times = m_panes.document().profileResult();
    const auto seen = m_panes.joint().shown() ? nullptr : m_filters.of(at);
    const auto plan = groups ? planWithReorders() : nullptr;
    if (shown.drawn == graph && shown.pane->canvas()->picture() && times == shown.times &&
        seen == shown.seen && plan == shown.plan)
        return;
    shown.drawn = graph;
    shown.times = times;
    shown.plan = plan;
    int operators = 0;
    const auto inside = snapshot::nodesInside(*graph);
    for (const auto& node : graph->nodes)
        operators += !node.constant && node.op != "input" && !inside.contains(node.id);
    const QString ops = countOf(operators, u"op"_s);
    const bool regions = graph->stage == "partitioned";
    shown.pane->setDetail(
        graph->groups.empty() && graph->stage != "fused"
            ? ops + hiddenText(seen.get())
            : countOf(std::int64_t(graph->groups.size()), regions ? u"region"_s : u"group"_s) +
                  u", "_s + ops + hiddenText(seen.get()));
    m_panes.collapse().begin(
        m_panes.document().info() ? m_panes.document().info()->model : graph->name, *graph);
    picture::DiagramOptions options;
    options.groupTexts = groupTextsOf(times.get());
    options.facts = m_facts;
    shown.seen = nullptr;
    if (!showJoint())
        showApart(at, options);
}

// Of the fused graph as it is planned now; null: it shows none.
Shared<snapshot::FuseDocument> PanePictures::planWithReorders() const {
    const auto& plan = m_panes.document().plan();
    const bool any =
        m_facts.reorders && plan && m_panes.document().state(Part::Plan) == State::Ready &&
        std::any_of(plan->groups.begin(), plan->groups.end(),
                    [](const snapshot::GroupRecord& group) { return !group.reorders.empty(); });
    return any ? plan : nullptr;
}

Collapse::Graph PanePictures::withReorders(const Collapse::Graph& graph,
                                           const ShownPane& shown) const {
    return shown.plan ? std::make_shared<const snapshot::GraphDocument>(
                            snapshot::withReorders(*graph, *shown.plan, shown.times.get()))
                      : graph;
}

// What little is left of a large graph is shown whole.
void PanePictures::showApart(std::size_t at, const picture::DiagramOptions& options) {
    ShownPane& shown = m_panes[at];
    Collapse& collapse = m_panes.collapse();
    shown.seen = m_filters.of(at);
    if (!shown.seen)
        return collapse.show(shown.pane, withReorders(shown.drawn, shown), options,
                             collapse.view());
    const auto& left = shown.seen->graph.nodes;
    const auto boxes = std::size_t(std::count_if(
        left.begin(), left.end(), [](const snapshot::NodeRecord& node) { return !node.constant; }));
    const bool isWhole = boxes <= Collapse::mostOpen && shown.seen->graph.insides.empty() &&
                         collapse.view().rest == snapshot::BlockView::Rest::Closed;
    const Collapse::Graph seen(shown.seen, &shown.seen->graph);
    collapse.show(shown.pane, withReorders(seen, shown), options,
                  isWhole ? snapshot::BlockView() : collapse.view(), shown.seen->markOf);
}

void PanePictures::setFacts(const picture::BoxFacts& facts) {
    if (facts == m_facts)
        return;
    m_facts = facts;
    m_panes.joint().setFacts(facts);
    redraw();
    showHalos(m_panes);
}

void PanePictures::showAnew(std::size_t at) {
    m_panes[at].drawn = nullptr;
    show(at);
}

void PanePictures::showAllAnew() {
    m_panes.joint().clear();
    redraw();
    showHalos(m_panes);
}

void PanePictures::redraw() {
    if (m_panes.joint().shown())
        return m_panes.joint().redraw();
    for (ShownPane& shown : m_panes)
        shown.drawn = nullptr;
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        show(i);
}

bool PanePictures::showJoint() {
    if (!m_joint)
        return false;
    std::vector<JointPanes::Pane> shown;
    JointPanes::PickedIds picked;
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (m_panes[i].drawn && m_panes.stateOf(i) == State::Ready) {
            shown.push_back(
                {m_panes.pane(i), m_panes[i].drawn, groupTextsOf(m_panes[i].times.get())});
            const auto ids =
                m_panes.collapse().nodesOf(m_panes.pane(i), m_panes.pane(i)->canvas()->selected());
            picked.emplace_back(ids.begin(), ids.end());
        }
    if (shown.size() < 2) {
        m_panes.joint().clear(); // until there are two
        return false;
    }
    m_panes.joint().show(std::move(shown), picked);
    return true;
}

void showHalos(const GraphPanes& panes) {
    const PickedPlace& place = panes.selection().place();
    for (std::size_t i = 0; i < panes.size(); ++i) {
        std::vector<Halo> halos = panes.joint().marks(panes.pane(i));
        if (place.side == panes.sideOf(i))
            halos.insert(halos.end(), place.frames.begin(), place.frames.end());
        halos = panes.collapse().onBoxes(panes.pane(i), std::move(halos));
        if (Halo way = wayIn(panes, i); way.ids.size() > 1)
            halos.push_back(std::move(way));
        panes.pane(i)->canvas()->setHalos(std::move(halos));
    }
}

} // namespace fw::ui
