#include "views/graph/pane_changes.h"

#include "views/common/text.h"

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

// Of what was walked to, or else of what is selected.
std::optional<std::size_t> PaneChanges::placeNow(const std::vector<std::size_t>& changes) const {
    auto at = changes.end();
    if (m_at && m_panes.selection().picked() == m_atPicked)
        at = std::find(changes.begin(), changes.end(), *m_at);
    if (at == changes.end())
        at = std::find_if(changes.begin(), changes.end(), [&](std::size_t place) {
            for (const ShownPane& shown : m_panes)
                if (const auto id = m_panes.joint().nodeAt(shown.pane, place);
                    id != snapshot::noNode) {
                    const Ids ids = shown.pane->canvas()->selected();
                    const std::int64_t box = m_panes.collapse().boxOf(shown.pane, id);
                    if (std::find(ids.begin(), ids.end(), box) != ids.end())
                        return true;
                }
            return false;
        });
    return at == changes.end() ? std::nullopt : std::optional(std::size_t(at - changes.begin()));
}

bool PaneChanges::walk(int step) {
    if (!m_panes.joint().shown())
        return false;
    const std::vector<std::size_t> changes = m_panes.joint().changes();
    if (changes.empty()) {
        const bool own = m_panes.size() == 2 && !m_panes.compared(0) && !m_panes.compared(1);
        Q_EMIT m_panes.view().asked(
            Say{own ? u"rewriting changed nothing"_s : u"nothing differs"_s});
        return true;
    }
    const auto now = placeNow(changes);
    const auto count = std::ptrdiff_t(changes.size());
    const std::ptrdiff_t next =
        !now ? (step > 0 ? 0 : count - 1) : (std::ptrdiff_t(*now) + step + count) % count;
    goTo(changes[std::size_t(next)]);
    Q_EMIT m_panes.view().asked(Say{u"change %1 of %2"_s.arg(next + 1).arg(count)});
    return true;
}

void PaneChanges::goTo(std::size_t place) {
    Picked one;
    std::optional<std::size_t> last; // that has it
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        const snapshot::NodeId id = m_panes.joint().nodeAt(m_panes.pane(i), place);
        if (id == snapshot::noNode)
            continue;
        last = i;
        if (const auto side = m_panes.sideOf(i))
            (*side == GraphSide::Imported ? one.imported : one.fused) = {id};
    }
    if (one.empty() && last)
        one = m_panes.pickedOf(*last, {m_panes.joint().nodeAt(m_panes.pane(*last), place)});
    m_at = place;
    m_panes.selection().pick(one, nullptr, last ? m_panes.sideOf(*last) : std::nullopt);
    m_atPicked = m_panes.selection().picked();
    Collapse::NodesOf nodes;
    for (const ShownPane& shown : m_panes)
        if (const auto id = m_panes.joint().nodeAt(shown.pane, place); id != snapshot::noNode)
            nodes[shown.pane] = {id};
    m_panes.collapse().reveal(nodes);
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (const auto found = nodes.find(m_panes.pane(i)); found != nodes.end()) {
            m_panes.pane(i)->canvas()->setSelected(
                m_panes.collapse().boxesOf(m_panes.pane(i), found->second));
            m_selection.comeIntoView(i, *found->second.begin());
        }
    m_panes.joint().reach({place});
}

PaneChanges::History PaneChanges::historyOf(std::size_t at) const {
    const GraphState& state = m_panes[at].state;
    const StateGraph* other = m_panes.compared(at);
    const auto& own = m_panes.document().rewrite();
    return {other && !state.isOwn() ? other->rewrite.get() : own.get(),
            state.stage == GraphState::Stage::Imported ? 0
            : state.stage == GraphState::Stage::Behind ? state.application
                                                       : std::numeric_limits<std::int64_t>::max()};
}

// What took the node out on the way to the other state, or put it in on the way to its own.
QString PaneChanges::whyMissing(const snapshot::NodeRecord& node, std::size_t from,
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

void PaneChanges::sayCounterpart(std::size_t at, snapshot::NodeId id) const {
    using Mark = snapshot::JointNode::Mark;
    const auto place = m_panes.joint().placeOf(m_panes.pane(at), id);
    const auto* node = nodeOf(m_panes[at].drawn.get(), id);
    if (!place || !node)
        return;
    const snapshot::JointNode& joint = m_panes.joint().node(*place);
    const std::size_t state = *m_panes.joint().stateOf(m_panes.pane(at));
    std::optional<std::size_t> without;
    if (state + 1 < joint.marks.size() && joint.marks[state + 1] == Mark::Erased)
        without = state + 1;
    else if (state > 0 && joint.marks[state] == Mark::Created)
        without = state - 1;
    if (!without)
        return;
    const std::size_t in = m_panes.indexOf(m_panes.joint().paneOf(*without));
    const QString where = m_panes.size() > 2 ? u" in "_s + m_panes[in].state.text() : QString();
    Q_EMIT m_panes.view().asked(Say{
        u"%1 has no counterpart%2: %3"_s.arg(text(node->name), where, whyMissing(*node, at, in))});
}

} // namespace fw::ui
