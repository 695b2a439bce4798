// All panes in one layout: what is shown then, walking through what differs, what became of it.
#include "picture/graph_diagram.h"
#include "snapshot/time_text.h"
#include "views/common/text.h"
#include "views/graph/graphs_view.h"

#include <QAction>

#include <algorithm>
#include <limits>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

bool has(const std::vector<snapshot::RewrittenNode>& list, const snapshot::NodeRecord& node) {
    return std::find(list.begin(), list.end(), snapshot::RewrittenNode{node.name, node.op}) !=
           list.end();
}

} // namespace

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

void GraphsView::setJoint(bool) {
    m_around.reset();
    showAllAnew();
}

void GraphsView::showAllAnew() {
    m_joint->clear();
    for (ShownPane& shown : m_panes)
        shown.drawn = nullptr;
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        showGraph(i);
    showHalos();
}

bool GraphsView::showJoint() {
    if (!m_jointCommand->isChecked())
        return false;
    std::vector<JointPanes::Pane> shown;
    JointPanes::PickedIds picked;
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (m_panes[i].drawn && stateOf(i) == State::Ready) {
            shown.push_back({pane(i), m_panes[i].drawn, groupTextsOf(m_panes[i].times.get())});
            const auto ids = m_collapse->nodesOf(pane(i), pane(i)->canvas()->selected());
            picked.emplace_back(ids.begin(), ids.end());
        }
    if (shown.size() < 2) {
        m_joint->clear(); // until there are two
        return false;
    }
    m_joint->show(std::move(shown), picked);
    return true;
}

void GraphsView::jointReady() {
    showHalos();
    if (const std::size_t all = m_joint->isPartOf(); all > 0)
        Q_EMIT asked(
            Say{u"one layout takes up to %1 nodes: of these %2 it shows the %3 around what is "
                "picked, or the first"_s.arg(JointPanes::mostNodes)
                    .arg(all)
                    .arg(m_joint->graph()->nodes.size())});
}

bool GraphsView::serve(Request request) {
    if (request == Request::NextChange)
        return walkChanges(+1);
    return request == Request::PreviousChange && walkChanges(-1);
}

bool GraphsView::walkChanges(int step) {
    if (!m_joint->shown())
        return false;
    const std::vector<std::size_t> changes = m_joint->changes();
    if (changes.empty()) {
        const bool own = m_panes.size() == 2 && !compared(0) && !compared(1);
        Q_EMIT asked(Say{own ? u"rewriting changed nothing"_s : u"nothing differs"_s});
        return true;
    }
    // From where F4 led to, or from what is selected.
    auto at = changes.end();
    if (m_atChange && selection().picked() == m_atChangePicked)
        at = std::find(changes.begin(), changes.end(), *m_atChange);
    if (at == changes.end())
        at = std::find_if(changes.begin(), changes.end(), [&](std::size_t place) {
            for (const ShownPane& shown : m_panes)
                if (const auto id = m_joint->nodeAt(shown.pane, place); id != snapshot::noNode) {
                    const Ids ids = shown.pane->canvas()->selected();
                    const std::int64_t box = m_collapse->boxOf(shown.pane, id);
                    if (std::find(ids.begin(), ids.end(), box) != ids.end())
                        return true;
                }
            return false;
        });
    const auto count = std::ptrdiff_t(changes.size());
    const std::ptrdiff_t next = at == changes.end() ? (step > 0 ? 0 : count - 1)
                                                    : (at - changes.begin() + step + count) % count;
    const std::size_t place = changes[std::size_t(next)];
    Picked one;
    std::optional<std::size_t> last; // that has it
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        const snapshot::NodeId id = m_joint->nodeAt(pane(i), place);
        if (id == snapshot::noNode)
            continue;
        last = i;
        if (const auto side = sideOf(i))
            (*side == GraphSide::Imported ? one.imported : one.fused) = {id};
    }
    if (one.empty() && last)
        one = pickedOf(*last, {m_joint->nodeAt(pane(*last), place)});
    m_atChange = place;
    selection().pick(one, nullptr, last ? sideOf(*last) : std::nullopt);
    m_atChangePicked = selection().picked();
    Collapse::NodesOf nodes;
    for (const ShownPane& shown : m_panes)
        if (const auto id = m_joint->nodeAt(shown.pane, place); id != snapshot::noNode)
            nodes[shown.pane] = {id};
    m_collapse->reveal(nodes);
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (const auto found = nodes.find(pane(i)); found != nodes.end()) {
            pane(i)->canvas()->setSelected(m_collapse->boxesOf(pane(i), found->second));
            comeIntoView(i, {*found->second.begin(), Selection::Reveal::IntoView, true});
        }
    m_joint->reach({place});
    Q_EMIT asked(Say{u"change %1 of %2"_s.arg(next + 1).arg(count)});
    return true;
}

GraphsView::History GraphsView::historyOf(std::size_t at) const {
    const GraphState& state = m_panes[at].state;
    const StateGraph* other = compared(at);
    const auto& own = document().rewrite();
    return {other && !state.isOwn() ? other->rewrite.get() : own.get(),
            state.stage == Stage::Imported ? 0
            : state.stage == Stage::Behind ? state.application
                                           : std::numeric_limits<std::int64_t>::max()};
}

// What took the node out on the way to the other state, or put it in on the way to its own.
QString GraphsView::whyMissing(const snapshot::NodeRecord& node, std::size_t from,
                               std::size_t in) const {
    const History there = historyOf(in), here = historyOf(from);
    const bool one = there.document == here.document;
    QString out;
    if (there.document)
        for (const auto& application : there.document->applications)
            if (application.number <= there.upTo && (!one || application.number > here.upTo) &&
                has(application.erased, node))
                out = u"erased by %1, application %2"_s.arg(text(application.rule))
                          .arg(application.number);
    if (out.isEmpty() && here.document)
        for (const auto& application : here.document->applications)
            if (application.number <= here.upTo && (!one || application.number > there.upTo) &&
                has(application.created, node))
                out = u"created by %1, application %2"_s.arg(text(application.rule))
                          .arg(application.number);
    if (!out.isEmpty())
        return out;
    if (m_panes[from].drawn->imported != m_panes[in].drawn->imported)
        return u"nothing there has its name and operator, or reads the same"_s;
    return here.upTo <= there.upTo ? u"rewriting took it out"_s : u"rewriting put it in"_s;
}

void GraphsView::sayCounterpart(std::size_t at, snapshot::NodeId id) {
    using Mark = snapshot::JointNode::Mark;
    const auto place = m_joint->placeOf(pane(at), id);
    const auto* node = nodeOf(m_panes[at].drawn.get(), id);
    if (!place || !node)
        return;
    const snapshot::JointNode& joint = m_joint->node(*place);
    const std::size_t state = *m_joint->stateOf(pane(at));
    std::optional<std::size_t> without;
    if (state + 1 < joint.marks.size() && joint.marks[state + 1] == Mark::Erased)
        without = state + 1;
    else if (state > 0 && joint.marks[state] == Mark::Created)
        without = state - 1;
    if (!without)
        return;
    const std::size_t in = indexOf(m_joint->paneOf(*without));
    const QString where = m_panes.size() > 2 ? u" in "_s + m_panes[in].state.text() : QString();
    Q_EMIT asked(Say{
        u"%1 has no counterpart%2: %3"_s.arg(text(node->name), where, whyMissing(*node, at, in))});
}

} // namespace fw::ui
