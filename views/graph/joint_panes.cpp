#include "views/graph/joint_panes.h"

#include "snapshot/insides.h"
#include "views/common/background.h"
#include "views/graph/collapse.h"

#include <QScopedValueRollback>

#include <algorithm>
#include <deque>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::JointNode;
using Mark = JointNode::Mark;

JointPanes::JointPanes(Collapse* collapse, QObject* parent)
    : QObject(parent), m_collapse(collapse) {}

void JointPanes::listen(GraphPane* pane) {
    if (!m_heard.insert(pane).second)
        return;
    connect(pane, &GraphPane::busyChanged, this, [this, pane] {
        const std::size_t at = indexOf(pane);
        if (pane->busy() || at == m_panes.size())
            return;
        hideAbsent(at);
        follow(0);
    });
    connect(pane->canvas(), &GraphCanvas::moved, this, [this, pane] {
        if (const std::size_t at = indexOf(pane); at < m_panes.size())
            follow(at);
    });
    connect(pane, &QObject::destroyed, this, [this, pane] {
        clear();
        m_heard.erase(pane);
        std::erase_if(m_panes, [&](const Pane& one) { return one.pane == pane; });
    });
}

std::size_t JointPanes::indexOf(const GraphPane* pane) const {
    return std::size_t(std::find_if(m_panes.begin(), m_panes.end(),
                                    [&](const Pane& one) { return one.pane == pane; }) -
                       m_panes.begin());
}

void JointPanes::layOutPart(Joint& joint, const std::vector<std::size_t>& seeds) {
    joint.part = snapshot::partOf(joint.whole->graph, seeds, mostOfPart, joint.places);
    joint.blocks = std::make_shared<const snapshot::Hierarchy>(hierarchyOf(joint.part.graph));
}

std::shared_ptr<JointPanes::Joint> JointPanes::make(const std::vector<Pane>& panes,
                                                    const PickedIds& picked) {
    auto whole = std::make_shared<Whole>();
    std::vector<snapshot::JointState> states;
    std::size_t count = 0;
    std::deque<snapshot::GraphDocument> flat; // what lies inside nodes has no counterparts
    for (const Pane& one : panes) {
        const bool whole = one.graph->insides.empty();
        states.push_back(
            {whole ? one.graph.get() : &flat.emplace_back(snapshot::withoutInsides(*one.graph)),
             one.groupTexts});
        count += states.back().graph->nodes.size();
    }
    whole->graph = snapshot::joined(states);
    whole->placeOf.resize(panes.size());
    const auto& nodes = whole->graph.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (std::size_t s = 0; s < panes.size(); ++s)
            if (nodes[i].isIn(s))
                whole->placeOf[s].emplace(nodes[i].ids[s], i);
    auto out = std::make_shared<Joint>();
    out->whole = whole;
    if (count <= mostNodes) {
        out->blocks = std::make_shared<const snapshot::Hierarchy>(hierarchyOf(whole->graph.graph));
        return out;
    }
    std::vector<std::size_t> seeds;
    for (std::size_t s = 0; s < std::min(panes.size(), picked.size()); ++s)
        for (const snapshot::NodeId id : picked[s])
            if (const auto found = whole->placeOf[s].find(id); found != whole->placeOf[s].end())
                seeds.push_back(found->second);
    for (std::size_t i = 0; seeds.empty() && i < nodes.size(); ++i)
        if (!whole->graph.graph.nodes[i].constant)
            seeds.push_back(i);
    layOutPart(*out, seeds);
    return out;
}

void JointPanes::show(std::vector<Pane> panes, const PickedIds& picked) {
    if (panes == m_panes && (m_joint || m_making))
        return;
    m_joint = nullptr;
    m_making = true;
    m_panes = std::move(panes);
    for (const Pane& one : m_panes)
        listen(one.pane);
    const std::uint64_t generation = ++m_generation;
    ++m_busy;
    inBackground(
        this, [panes = m_panes, picked] { return make(panes, picked); },
        [this, generation](std::shared_ptr<Joint> joint) {
            --m_busy;
            if (generation == m_generation)
                adopt(std::move(joint));
            Q_EMIT busyChanged();
        });
}

void JointPanes::adopt(std::shared_ptr<const Joint> joint) {
    m_joint = joint;
    m_making = false;
    redraw();
    Q_EMIT ready();
}

void JointPanes::redraw() {
    if (!m_joint)
        return;
    const auto joint = m_joint;
    picture::DiagramOptions options;
    options.blocks = joint->blocks;
    options.view = m_collapse->view();
    options.facts = m_facts;
    for (std::size_t s = 0; s < m_panes.size(); ++s) {
        std::vector<snapshot::NodeId> nodes;
        for (const JointNode& node : joint->shown().nodes)
            nodes.push_back(node.ids[s]);
        m_collapse->showOthers(m_panes[s].pane, joint->blocks, std::move(nodes),
                               picture::containersOf(joint->shown(), s));
        m_panes[s].pane->setDiagram(
            [joint, s, options] { return picture::diagramOf(joint->shown(), s, options); });
    }
}

void JointPanes::clear() {
    ++m_generation;
    m_joint = nullptr;
    m_making = false;
}

std::size_t JointPanes::isPartOf() const {
    return m_joint && !m_joint->places.empty() ? m_joint->whole->graph.nodes.size() : 0;
}

std::optional<std::size_t> JointPanes::stateOf(const GraphPane* pane) const {
    const std::size_t at = indexOf(pane);
    return m_joint && at < m_panes.size() ? std::optional(at) : std::nullopt;
}

std::optional<std::size_t> JointPanes::placeOf(const GraphPane* pane, snapshot::NodeId node) const {
    const auto state = stateOf(pane);
    if (!state)
        return {};
    const auto found = m_joint->whole->placeOf[*state].find(node);
    return found == m_joint->whole->placeOf[*state].end() ? std::nullopt
                                                          : std::optional(found->second);
}

snapshot::NodeId JointPanes::nodeAt(const GraphPane* pane, std::size_t place) const {
    const auto state = stateOf(pane);
    return state ? node(place).ids[*state] : snapshot::noNode;
}

std::vector<std::size_t> JointPanes::changes() const {
    std::vector<std::size_t> out;
    if (!m_joint)
        return out;
    const snapshot::JointGraph& whole = m_joint->whole->graph;
    for (std::size_t i = 0; i < whole.nodes.size(); ++i)
        if (whole.nodes[i].isChanged() && !whole.graph.nodes[i].constant)
            out.push_back(i);
    if (out.empty() || isPartOf() > 0)
        return out;
    const GraphPane* first = m_panes.front().pane;
    std::vector<std::pair<std::pair<double, double>, std::size_t>> placed;
    for (const std::size_t at : out) {
        const std::int64_t box = m_collapse->boxAt(first, std::uint32_t(at));
        const QPointF centre =
            first->canvas()
                ->nodeRect(box == snapshot::noNode ? picture::boxOf(whole, 0, at) : box)
                .center();
        placed.emplace_back(std::pair(centre.y(), centre.x()), at);
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    out.clear();
    for (const auto& [place, at] : placed)
        out.push_back(at);
    return out;
}

// What the state on the right has not, and what the one on the left had not, or had otherwise. The
// first has none on its left: there a change is marked against the one on its right.
std::vector<Halo> JointPanes::marks(const GraphPane* of) const {
    std::vector<Halo> out;
    const auto state = stateOf(of);
    if (!state)
        return out;
    const std::size_t pane = *state;
    const snapshot::JointGraph& part = m_joint->shown();
    for (std::size_t i = 0; i < part.nodes.size(); ++i) {
        const JointNode& node = part.nodes[i];
        if (!node.isIn(pane) || part.graph.nodes[i].constant)
            continue;
        const std::int64_t box = picture::boxOf(part, pane, i);
        const bool last = pane + 1 == part.states;
        if (!last && node.marks[pane + 1] == Mark::Erased)
            out.push_back({{box}, Halo::Look::Erased, u"−"_s});
        if (node.marks[pane] == Mark::Created)
            out.push_back({{box}, Halo::Look::Created, u"+"_s});
        if (node.marks[pane == 0 && !last ? 1 : pane] == Mark::Changed)
            out.push_back({{box}, Halo::Look::Changed, u"~"_s});
    }
    return out;
}

void JointPanes::reach(const std::vector<std::size_t>& places) {
    if (isPartOf() == 0 || places.empty() ||
        std::any_of(places.begin(), places.end(), [&](std::size_t place) {
            return std::binary_search(m_joint->places.begin(), m_joint->places.end(), place);
        }))
        return;
    auto other = std::make_shared<Joint>();
    other->whole = m_joint->whole;
    const std::uint64_t generation = ++m_generation;
    ++m_busy;
    inBackground(
        this,
        [other, places] {
            layOutPart(*other, places);
            return other;
        },
        [this, generation](std::shared_ptr<Joint> joint) {
            --m_busy;
            if (generation == m_generation)
                adopt(std::move(joint));
            Q_EMIT busyChanged();
        });
}

void JointPanes::hideAbsent(std::size_t state) {
    GraphCanvas::Hidden hidden;
    const snapshot::JointGraph* joint = graph();
    for (std::size_t i = 0; joint && i < joint->nodes.size(); ++i) {
        const JointNode& node = joint->nodes[i];
        const std::int64_t box = picture::boxOf(*joint, state, i);
        if (!node.isIn(state))
            hidden.boxes.insert(box);
        for (const std::size_t operand : node.hidden[state]) {
            const auto from = std::size_t(joint->graph.nodes[i].inputs[operand].node);
            hidden.edges.emplace(picture::boxOf(*joint, state, from), box);
        }
    }
    for (std::size_t k = 0; joint && k < joint->results.size(); ++k)
        if (!joint->results[k][state])
            hidden.boxes.insert(picture::firstResultBox - std::int64_t(k));
    if (joint) {
        const std::vector<std::int64_t> containers = picture::containersOf(*joint, state);
        for (std::size_t i = 0; i < containers.size(); ++i)
            if (joint->labels[i][state].group < 0)
                hidden.containers.insert(containers[i]);
    }
    GraphPane* pane = m_panes[state].pane;
    const auto isEmpty = [&](std::int64_t id) { // all that the block holds is another state's
        return snapshot::isBlock(id) && m_collapse->nodesOf(pane, {id}).empty();
    };
    if (const auto picture = pane->canvas()->picture(); joint && picture) {
        for (const auto& box : picture->boxes)
            if (isEmpty(box.id))
                hidden.boxes.insert(box.id);
        for (const auto& container : picture->containers)
            if (isEmpty(container.id))
                hidden.containers.insert(container.id);
    }
    pane->canvas()->setHidden(std::move(hidden));
}

void JointPanes::follow(std::size_t state) {
    if (!m_joint || m_following || std::any_of(m_panes.begin(), m_panes.end(), [](const Pane& one) {
            return one.pane->busy();
        }))
        return;
    const QScopedValueRollback following(m_following, true);
    for (std::size_t s = 0; s < m_panes.size(); ++s)
        if (s != state)
            m_panes[s].pane->canvas()->follow(*m_panes[state].pane->canvas());
}

} // namespace fw::ui
