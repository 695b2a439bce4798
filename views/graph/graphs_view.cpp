#include "views/graph/graphs_view.h"

#include "views/common/pane.h"
#include "views/common/region_pins.h"
#include "views/common/state_overlay.h"
#include "views/graph/filter_strip.h"
#include "views/graph/pane_states.h"
#include "views/graph/trail.h"

#include <QAction>
#include <QMenu>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostPanes = 4;

} // namespace

GraphsView::GraphsView(QWidget* parent)
    : View(parent), m_strip(new FilterStrip(this)), m_row(new PaneRow(this)), m_panes(*this) {
    makePane({Stage::Imported});
    makePane({Stage::Fused});
    m_row->setChildrenCollapsible(false);
    m_row->setSizes({500, 560, 560});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_strip);
    layout->addWidget(m_row, 1);
    connect(m_strip, &FilterStrip::takenOut, this,
            [this](std::size_t filter) { m_filters.takeOut(filter); });
    connect(m_strip, &FilterStrip::everythingWanted, this, [this] { m_filters.takeOutAll(); });
    setFocusProxy(pane(1));
    connect(collapse(), &Collapse::changed, this, [this] { m_pictures.redraw(); });
    connect(collapse(), &Collapse::limited, this,
            [this](const QString& why) { Q_EMIT asked(Say{why}); });
    connect(joint(), &JointPanes::ready, this, [this] {
        showHalos(m_panes);
        tellPart();
    });
    connect(joint(), &JointPanes::busyChanged, this, &GraphsView::busyChanged);
    connect(stepPane(), &GraphPane::busyChanged, this, &GraphsView::busyChanged);
    addCommands();
}

bool GraphsView::settled() const {
    return !stepPane()->busy() && !m_panes.joint().busy() &&
           std::none_of(m_panes.begin(), m_panes.end(),
                        [](const ShownPane& shown) { return shown.pane->busy(); });
}

void GraphsView::makePane(const GraphState& state) {
    auto* made = new GraphPane(state.text());
    m_row->add(made);
    m_panes.add(made, state);
    connectPane(made);
    connectKeys(made);
}

GraphPane* GraphsView::pane(GraphSide side) const {
    return pane(m_panes.paneOf(side).value_or(side == GraphSide::Imported ? 0 : 1));
}

GraphCanvas* GraphsView::current() const {
    const std::size_t at = m_panes.current();
    return at > 0 && m_row->showsStep() ? stepPane()->canvas() : pane(at)->canvas();
}

void GraphsView::litChanged() {
    m_reach.show();
}

void GraphsView::stepChanged() {
    const auto& step = selection().step();
    setFocusProxy(step ? static_cast<QWidget*>(stepPane()) : pane(1));
    m_row->setStepShown(step.has_value());
    if (step)
        stepPane()->show(document().step(), *step);
}

void GraphsView::connectPane(GraphPane* shown) {
    GraphCanvas* canvas = shown->canvas();
    auto* menu = new QMenu(shown);
    shown->header()->addMenu(menu, u"What this pane shows"_s);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, shown] {
        menu->clear();
        for (const Choice& choice : choicesFor(m_panes.indexOf(shown)))
            menu->addAction(choice.text, this, choice.act)->setToolTip(choice.detail);
    });
    connect(shown->overlay(), &StateOverlay::cancelRequested, this, [this, shown] {
        if (shown->busy())
            collapse()->stop();
        else
            Q_EMIT asked(Request::Stop);
    });
    connect(shown->overlay(), &StateOverlay::actionRequested, this, [this, shown] {
        if (const std::size_t at = m_panes.indexOf(shown); shown->stopped())
            m_pictures.redraw();
        else if (m_panes.compared(at))
            Q_EMIT asked(WantState{m_panes[at].state});
        else
            Q_EMIT asked(Request::Reload);
    });
    connect(shown, &GraphPane::busyChanged, this, [this, shown] {
        if (!shown->busy()) { // other boxes stand for the same nodes
            m_picked.show(nullptr);
            showHalos(m_panes);
            m_heat.show();
            m_reach.show();
            m_picked.arrived(shown);
            showTrails(m_panes);
            showFilters();
        }
        showStateOf(m_panes, m_panes.indexOf(shown));
        showStatus();
        Q_EMIT busyChanged();
    });
    connect(shown, &GraphPane::noted, this,
            [this](const QString& line) { Q_EMIT asked(Log{line}); });
    connect(canvas, &GraphCanvas::menuRequested, this,
            [this](std::int64_t, const QPoint& at) { Q_EMIT asked(ShowNodeMenu{at}); });
    connect(canvas, &GraphCanvas::scaleChanged, this, [this, canvas] {
        if (canvas->viewport()->underMouse() || canvas->hasFocus())
            m_zoomed = canvas;
        showStatus();
    });
    connect(canvas, &GraphCanvas::selectionChanged, this,
            [this, shown](const std::vector<std::int64_t>& ids) {
                const std::size_t at = m_panes.indexOf(shown);
                if (const auto nodes = m_picked.pick(at, ids); nodes.size() == 1)
                    m_changes.sayCounterpart(at, *nodes.begin());
            });
    connect(canvas, &GraphCanvas::activated, this,
            [this, shown](std::int64_t id, QPointF at) { showInside(shown, id, at); });
}

// In its place, or in a window of its own where that cannot be.
void GraphsView::showInside(const GraphPane* shown, std::int64_t id, QPointF place) {
    if (snapshot::isHiddenMark(id))
        return m_filters.takeOutWhatHides(m_panes.indexOf(shown), id);
    if (id < 0 || collapse()->toggleBodies(shown, id, place))
        return;
    const std::size_t at = m_panes.indexOf(shown);
    if (m_panes.sideOf(at) != GraphSide::Imported)
        return;
    if (const auto graph = m_panes.graphOf(at); graph && !joint()->stateOf(shown))
        for (const auto& body : graph->insides)
            if (body.node == id && !body.leftOut.empty())
                Q_EMIT asked(
                    Say{u"in a window of its own: %1"_s.arg(QString::fromStdString(body.leftOut))});
    Q_EMIT asked(ShowInside{id});
}

// Blocks, and what is connected.
void GraphsView::connectKeys(GraphPane* shown) {
    GraphCanvas* canvas = shown->canvas();
    const auto toggle = [this, shown](std::int64_t id, QPointF at) {
        collapse()->toggle(shown, id, at);
    };
    connect(canvas, &GraphCanvas::activated, this, [toggle](std::int64_t id, QPointF at) {
        if (snapshot::isBlock(id))
            toggle(id, at);
    });
    connect(canvas, &GraphCanvas::containerActivated, this, toggle);
    connect(canvas, &GraphCanvas::wholeActivated, this, [this, shown](std::int64_t id, QPointF at) {
        if (snapshot::isBlock(id))
            collapse()->openAll(shown, id, at);
    });
    connect(canvas, &GraphCanvas::leaveWanted, this,
            [this, shown, canvas] { collapse()->closeAround(shown, canvas->selected()); });
    connect(canvas, &GraphCanvas::traceWanted, this, [this] { m_reach.trace(); });
    connect(canvas, &GraphCanvas::aroundWanted, this, [this](int by) { m_filters.around(by); });
    connect(canvas, &GraphCanvas::filterWanted, this, &GraphsView::filter);
    connect(canvas, &GraphCanvas::escaped, this, &GraphsView::leaveReach);
}

std::vector<QWidget*> GraphsView::stops() {
    if (m_row->showsStep())
        return {pane(0)->canvas(), stepPane()->canvas()};
    std::vector<QWidget*> out;
    for (const ShownPane& shown : m_panes)
        out.push_back(shown.pane->canvas());
    return out;
}

GraphSide GraphsView::side() const {
    return m_panes.sideOf(m_panes.current()).value_or(GraphSide::Fused);
}

void GraphsView::documentChanged(Parts parts) {
    if (document().inputs().model != m_model)
        beginAnew();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        const bool imported = m_panes.sideOf(i) == GraphSide::Imported;
        const Parts mine = m_panes.compared(i) ? Parts{Part::States, Part::Plan, Part::Info}
                           : imported          ? Parts{Part::Imported, Part::Info}
                                      : Parts{Part::Fused, Part::Regions, Part::Plan, Part::Info};
        // Times stand in the headers of the groups.
        if (parts.hasAny(mine) || (m_panes.sideOf(i) == GraphSide::Fused &&
                                   parts.has(Part::Profile) && document().fused()))
            m_pictures.show(i);
    }
    if (!selection().filters().empty() &&
        parts.hasAny({Part::Plan, Part::Profile, Part::Verified})) // that queries ask
        for (std::size_t i = 0; i < m_panes.size(); ++i)
            m_pictures.show(i);
    if (parts.has(Part::Plan)) {
        selectionChanged(nullptr);
        if (m_regionsCommand->isChecked())
            Q_EMIT asked(WantDetails{});
    }
    if (parts.has(Part::Step) && selection().step())
        stepPane()->show(document().step(), *selection().step());
    if (parts.hasAny({Part::Fused, Part::Plan, Part::Regions, Part::Profile, Part::Against,
                      Part::Verified, Part::States}))
        m_heat.show();
    if (parts.has(Part::Explain))
        showHalos(m_panes);
    if (parts.hasAny({Part::Plan, Part::States}))
        wantStates();
    showStatus();
}

void GraphsView::selectionChanged(const QObject* origin) {
    m_picked.show(origin);
    showHalos(m_panes);
    m_picked.follow(origin);
    showTrails(m_panes);
}

void GraphsView::setRegionsShown(bool shown) {
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (m_panes[i].state.is(shown ? Stage::Fused : Stage::Partitioned)) {
            m_panes[i].state.stage = shown ? Stage::Partitioned : Stage::Fused;
            nameOf(i);
            m_pictures.show(i);
        }
    m_heat.show();
    if (shown)
        Q_EMIT asked(WantDetails{});
}

void GraphsView::selectionSettled() {
    const State state = document().state(Part::Regions);
    if (!m_panes.anyShows(Stage::Partitioned) || !document().plan() ||
        document().state(Part::Plan) != State::Ready || state == State::Ready ||
        state == State::Busy || state == State::Error)
        return;
    snapshot::Arguments about;
    about.stage = "partitioned";
    Q_EMIT asked(WantPart{Part::Regions, about});
}

void GraphsView::revealed(GraphSide side, snapshot::NodeId node, Selection::Reveal how) {
    const auto at = m_panes.paneOf(side);
    if (!at)
        return;
    while (m_filters.hides(*at, node) && m_filters.takeOutAround()) {
    }
    if (m_filters.hides(*at, node))
        Q_EMIT asked(Say{u"it is hidden by a filter; Shift+H shows everything"_s});
    collapse()->reveal(pane(*at), node);
    m_picked.comeIntoView(*at, node, how);
}

// --- which states are shown

void GraphsView::nameOf(std::size_t at) {
    pane(at)->setTitle(m_panes[at].state.text());
    const QSignalBlocker quiet(m_regionsCommand);
    m_regionsCommand->setChecked(m_panes.anyShows(Stage::Partitioned));
}

void GraphsView::setState(std::size_t at, const GraphState& state) {
    if (m_panes[at].state == state)
        return;
    m_panes[at].state = state;
    m_panes[at].drawn = nullptr;
    nameOf(at);
    showJointOfAll();
    m_heat.show();
    wantStates();
    Q_EMIT asked(WantDetails{});
}

void GraphsView::showJointOfAll() {
    if (!m_jointCommand->isChecked())
        m_jointCommand->setChecked(true); // setJoint
    else
        m_pictures.showAllAnew();
}

void GraphsView::setJoint(bool joint) {
    m_pictures.setJoint(joint);
    m_pictures.showAllAnew();
    showFilters();
    if (!joint) // in place of what was said of its changes
        Q_EMIT asked(Say{u"each graph has its own layout"_s});
}

void GraphsView::wantStates() {
    // What the document shows itself is asked first.
    const State plan = document().state(Part::Plan);
    if (!document().isOpen() || (plan != State::Ready && plan != State::Error))
        return;
    std::vector<GraphState> wanted;
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (const StateGraph* other = m_panes.compared(i))
            if ((other->state == State::Empty || other->state == State::Stale) &&
                other->error.code != DiagCode::Cancelled)
                wanted.push_back(m_panes[i].state);
    for (const GraphState& state : wanted)
        if (const auto known = document().stateGraphs().find(state);
            known == document().stateGraphs().end() || known->second.state != State::Busy)
            Q_EMIT asked(WantState{state});
}

void GraphsView::beginAnew() {
    m_model = document().inputs().model;
    while (m_panes.size() > 2)
        removePane();
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (!m_panes[i].state.is(Stage::Partitioned)) { // which every model has
            m_panes[i].state = {i == 0 ? Stage::Imported : Stage::Fused};
            nameOf(i);
        }
}

void GraphsView::addPane() {
    if (m_panes.size() == mostPanes)
        return Q_EMIT asked(Say{u"there are %1 panes, more have no room"_s.arg(mostPanes)});
    makePane(m_panes[m_panes.size() - 1].state);
    nameOf(m_panes.size() - 1);
    showJointOfAll();
    Q_EMIT asked(WantDetails{});
}

void GraphsView::removePane() {
    if (m_panes.size() <= 2)
        return Q_EMIT asked(Say{u"two panes are the least"_s});
    GraphPane* last = pane(m_panes.size() - 1);
    if (last->isAncestorOf(window()->focusWidget()))
        pane(1)->setFocus();
    m_picked.forget(last);
    m_panes.removeLast();
    delete last;
    m_row->layOut();
    nameOf(m_panes.size() - 1);
    m_pictures.showAllAnew();
}

std::vector<Choice> GraphsView::choicesFor(std::size_t at) {
    return stateChoices(m_panes, at, [this, at](const GraphState& state) { setState(at, state); });
}

void GraphsView::offerRegion() {
    const auto choices = regionChoices(document(), selection().picked().region);
    if (choices.empty())
        return Q_EMIT asked(Say{u"show the regions (Ctrl+Alt+J) and click the header of one"_s});
    std::vector<Choice> out;
    for (const RegionPin& choice : choices)
        out.push_back({choice.text, choice.detail,
                       [this, pins = choice.pins] { Q_EMIT asked(EditInputs{pins}); }});
    Q_EMIT asked(OfferChoice{u"Pin the region to"_s, out});
}

// --- what is shown

void GraphsView::filtersChanged() {
    m_pictures.redraw();
    m_reach.show();
    showFilters();
    if (!m_isShowingKept) // other views do not show theirs yet
        Q_EMIT keptChanged();
}

void GraphsView::filter(GraphCanvas::Filtering what) {
    switch (what) {
    case GraphCanvas::Filtering::Hide:
        return m_filters.hide();
    case GraphCanvas::Filtering::Only:
        return m_filters.showOnly();
    case GraphCanvas::Filtering::Everything:
        return m_filters.takeOutAll();
    }
}

void GraphsView::showFilters() {
    const auto told = m_filters.told();
    const bool joint = m_panes.joint().shown();
    std::vector<FilterStrip::Row> rows;
    for (const PaneFilters::Told& one : told) {
        const QString why =
            joint ? u"one layout of several graphs shows everything (Ctrl+Alt+Q)"_s : one.problem;
        rows.push_back({why.isEmpty() ? one.text : u"%1 (%2)"_s.arg(one.text, why),
                        u"A click takes this filter out of the graphs"_s, why.isEmpty()});
    }
    m_strip->setRows(rows);
    const auto& filters = selection().filters();
    const bool isAround =
        !filters.empty() && filters.back().shows == snapshot::KeptFilter::Shows::Around;
    for (const ShownPane& shown : m_panes)
        shown.pane->canvas()->setPart(isAround ? GraphCanvas::Part::Some : GraphCanvas::Part::All);
}

void GraphsView::offerFilters() {
    std::vector<Choice> out;
    const auto told = m_filters.told();
    for (std::size_t i = 0; i < told.size(); ++i)
        out.push_back({told[i].text, told[i].problem.isEmpty() ? u"take it out"_s : told[i].problem,
                       [this, i] { m_filters.takeOut(i); }});
    if (out.empty())
        return Q_EMIT asked(Say{u"nothing is hidden"_s});
    Q_EMIT asked(OfferChoice{u"Take a filter out"_s, out});
}

void GraphsView::leaveReach() {
    if (!m_reach.end())
        m_filters.takeOutAround();
}

void GraphsView::keep(snapshot::KeptView& kept) const {
    kept.blocks = collapse()->view();
    kept.filters = selection().filters();
}

void GraphsView::showKept(const snapshot::KeptView& kept) {
    if (kept.blocks)
        collapse()->restore(*kept.blocks);
    m_isShowingKept = true;
    selection().setFilters(kept.filters);
    m_isShowingKept = false;
}

void GraphsView::tellPart() {
    if (const std::size_t all = m_panes.joint().isPartOf(); all > 0)
        Q_EMIT asked(
            Say{u"one layout takes up to %1 nodes: of these %2 it shows the %3 around what is "
                "picked, or the first"_s.arg(JointPanes::mostNodes)
                    .arg(all)
                    .arg(m_panes.joint().graph()->nodes.size())});
}

bool GraphsView::serve(Request request) {
    if (request == Request::Stop)
        collapse()->stop(); // and whatever else is at work
    if (request == Request::NextChange)
        return m_changes.walk(+1);
    return request == Request::PreviousChange && m_changes.walk(-1);
}

void GraphsView::showStatus() {
    Q_EMIT statusChanged(
        !document().isOpen() ? QString()
        : settled() ? u"%1×"_s.arg((m_zoomed ? m_zoomed.data() : current())->scale(), 0, 'f', 2)
                    : u"laying out"_s);
}

} // namespace fw::ui
