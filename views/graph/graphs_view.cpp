#include "views/graph/graphs_view.h"

#include "views/common/pane.h"
#include "views/common/region_pins.h"
#include "views/common/state_overlay.h"
#include "views/graph/pane_states.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostPanes = 4;

} // namespace

GraphsView::GraphsView(QWidget* parent) : View(parent), m_row(new PaneRow(this)), m_panes(*this) {
    makePane({Stage::Imported});
    makePane({Stage::Fused});
    m_row->setChildrenCollapsible(false);
    m_row->setSizes({500, 560, 560});
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_row);
    setFocusProxy(pane(1));
    connect(collapse(), &Collapse::changed, this, [this] { m_pictures.redraw(); });
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
    connect(shown->overlay(), &StateOverlay::cancelRequested, this,
            [this] { Q_EMIT asked(Request::Stop); });
    connect(shown->overlay(), &StateOverlay::actionRequested, this, [this, shown] {
        if (const std::size_t at = m_panes.indexOf(shown); m_panes.compared(at))
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
        }
        Q_EMIT busyChanged();
    });
    connect(shown, &GraphPane::noted, this,
            [this](const QString& line) { Q_EMIT asked(Log{line}); });
    connect(canvas, &GraphCanvas::menuRequested, this,
            [this](std::int64_t, const QPoint& at) { Q_EMIT asked(ShowNodeMenu{at}); });
    connect(canvas, &GraphCanvas::scaleChanged, this, &GraphsView::showStatus);
    connect(canvas, &GraphCanvas::selectionChanged, this,
            [this, shown](const std::vector<std::int64_t>& ids) {
                const std::size_t at = m_panes.indexOf(shown);
                if (const auto nodes = m_picked.pick(at, ids); nodes.size() == 1)
                    m_changes.sayCounterpart(at, *nodes.begin());
            });
    connect(canvas, &GraphCanvas::activated, this, [this, shown](std::int64_t id) {
        if (id >= 0 && m_panes.sideOf(m_panes.indexOf(shown)) == GraphSide::Imported)
            Q_EMIT asked(ShowInside{id});
    });
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
    connect(canvas, &GraphCanvas::aroundWanted, this,
            [this](int by) { drawAnew(m_reach.around(by)); });
    connect(canvas, &GraphCanvas::escaped, this, &GraphsView::endReach);
}

// In the order in which they stand in menus.
void GraphsView::addCommands() {
    addZoomCommands();
    addPaneCommands();
    addSeparator(MenuPlace::View);
    addBlockCommands();
    addReachCommands();
    addSeparator(MenuPlace::View);
    addHeatCommands();
    addWalkCommands();
}

void GraphsView::addZoomCommands() {
    const auto fit = addCommand(
        MenuPlace::Bar, u"Fit"_s, {},
        [this] {
            for (const ShownPane& shown : m_panes)
                shown.pane->canvas()->fitAll();
        },
        Needs::Nothing);
    fit->setToolTip(u"Fit all graphs"_s);
    addCommand(MenuPlace::View, u"&Fit"_s, u"Ctrl+9"_s, [this] { current()->fitAll(); });
    addCommand(
        MenuPlace::View, u"Fit &selection"_s, u"Ctrl+8"_s, [this] { current()->fitSelection(); },
        Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::View, u"&100 %"_s, u"Ctrl+0"_s,
               [this] { current()->setScale(GraphCanvas::usualScale()); });
    addCommand(MenuPlace::View, u"Zoom &in"_s, u"Ctrl++"_s,
               [this] { current()->setScale(current()->scale() * 1.25); });
    addCommand(MenuPlace::View, u"Zoom &out"_s, u"Ctrl+-"_s,
               [this] { current()->setScale(current()->scale() / 1.25); });
    QAction* minimap = addCommand(
        MenuPlace::View, u"&Minimap"_s, u"Ctrl+M"_s, [] {}, Needs::Nothing);
    minimap->setCheckable(true);
    minimap->setChecked(true);
    connect(minimap, &QAction::toggled, this, [this](bool on) {
        for (const ShownPane& shown : m_panes)
            shown.pane->canvas()->setMinimapShown(on);
    });
}

void GraphsView::addPaneCommands() {
    m_regionsCommand = addCommand(
        MenuPlace::View, u"&Regions of libraries"_s, u"Ctrl+Alt+J"_s, [] {}, Needs::Nothing);
    m_regionsCommand->setCheckable(true);
    connect(m_regionsCommand, &QAction::toggled, this, &GraphsView::setRegionsShown);
    m_jointCommand = addCommand(
        MenuPlace::View, u"&One layout for all graphs"_s, u"Ctrl+Alt+Q"_s, [] {}, Needs::Nothing);
    m_jointCommand->setCheckable(true);
    connect(m_jointCommand, &QAction::toggled, this, &GraphsView::setJoint);
    addCommand(MenuPlace::View, u"Choose what the pane shows …"_s, u"Ctrl+Alt+."_s, [this] {
        const std::size_t at = m_panes.current();
        Q_EMIT asked(OfferChoice{u"What the pane %1 shows"_s.arg(at + 1), choicesFor(at)});
    });
    addCommand(MenuPlace::View, u"Add a pane"_s, u"Alt+Shift+Right"_s, [this] { addPane(); });
    addCommand(MenuPlace::View, u"Take a pane away"_s, u"Alt+Shift+Left"_s,
               [this] { removePane(); });
    addCommand(
        MenuPlace::Pins, u"Pin re&gion to …"_s, u"Ctrl+Alt+Z"_s, [this] { offerRegion(); },
        Needs::Model, OfNodes::Yes);
}

void GraphsView::addBlockCommands() {
    addCommand(MenuPlace::View, u"&Close all blocks"_s, u"Ctrl+Alt+-"_s,
               [this] { collapse()->closeEverything(); });
    addCommand(MenuPlace::View, u"&Open all blocks"_s, u"Ctrl+Alt++"_s,
               [this] { collapse()->openEverything(); });
    addCommand(
        MenuPlace::View, u"Close the &block around"_s, u"Ctrl+Backspace"_s,
        [this] {
            const GraphPane* shown = pane(m_panes.current());
            if (current() == shown->canvas())
                collapse()->closeAround(shown, current()->selected());
        },
        Needs::Model, OfNodes::Yes);
    const auto walkCopies = [this](int step) { m_picked.walkCopies(m_panes.current(), step); };
    addCommand(
        MenuPlace::Walk, u"Same place in the next &copy"_s, u"Ctrl+Alt+]"_s,
        [walkCopies] { walkCopies(+1); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Walk, u"Same place in the copy &before"_s, u"Ctrl+Alt+["_s,
               [walkCopies] { walkCopies(-1); });
}

void GraphsView::addReachCommands() {
    addCommand(
        MenuPlace::View, u"&Trace up and down stream (T)"_s, u"Ctrl+Alt+0"_s,
        [this] { m_reach.trace(); }, Needs::Model, OfNodes::Yes);
    addCommand(
        MenuPlace::View, u"Only the &neighbourhood, a step more (I)"_s, u"Ctrl+Alt+9"_s,
        [this] { drawAnew(m_reach.around(+1)); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::View, u"The neighbourhood, a step &less (Shift+I)"_s, u"Ctrl+Alt+8"_s,
               [this] { drawAnew(m_reach.around(-1)); });
}

void GraphsView::addHeatCommands() {
    auto* heats = new QActionGroup(this);
    const auto heat = [&](const QString& name, const QString& keys, Heat choice) {
        QAction* action = addCommand(
            MenuPlace::View, name, keys, [this, choice] { setHeat(choice); }, Needs::Nothing);
        action->setCheckable(true);
        action->setChecked(choice == m_heat.heat());
        heats->addAction(action);
    };
    heat(u"No &heat"_s, u"Ctrl+H"_s, Heat::None);
    heat(u"Heat by &time"_s, u"Ctrl+Shift+H"_s, Heat::Time);
    heat(u"Heat by time &per operation"_s, u"Ctrl+Alt+H"_s, Heat::Slowness);
}

void GraphsView::addWalkCommands() {
    addCommand(MenuPlace::Walk, u"&Next operator"_s, u"Ctrl+]"_s,
               [this] { m_picked.walk(side(), +1); });
    addCommand(MenuPlace::Walk, u"&Previous operator"_s, u"Ctrl+["_s,
               [this] { m_picked.walk(side(), -1); });
    addCommand(MenuPlace::Picture, u"Save &picture…"_s, u"Ctrl+Alt+E"_s, [this] {
        Q_EMIT asked(SavePicture{current()->picture(), side() == GraphSide::Imported
                                                           ? u"Save the imported graph"_s
                                                           : u"Save the fused graph"_s});
    });
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
    if (parts.has(Part::Plan)) {
        selectionChanged(nullptr);
        if (m_regionsCommand->isChecked())
            Q_EMIT asked(WantDetails{});
    }
    if (parts.has(Part::Step) && selection().step())
        stepPane()->show(document().step(), *selection().step());
    if (parts.hasAny({Part::Fused, Part::Regions, Part::Profile, Part::States}))
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
    if (m_reach.alone() == pane(*at) && collapse()->isMissing(pane(*at), node))
        endReach();
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
    m_reach.endAround();
    m_pictures.showAllAnew();
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
    if (m_reach.alone() == last)
        m_reach.endAround();
    m_picked.forget(last);
    m_panes.removeLast();
    delete last;
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

void GraphsView::drawAnew(std::optional<std::size_t> at) {
    if (!at)
        return;
    m_pictures.showAnew(*at);
    m_reach.show();
}

void GraphsView::endReach() {
    if (const auto at = m_reach.end())
        m_pictures.showAnew(*at);
    m_reach.show();
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
    if (request == Request::NextChange)
        return m_changes.walk(+1);
    return request == Request::PreviousChange && m_changes.walk(-1);
}

void GraphsView::showStatus() {
    Q_EMIT statusChanged(document().isOpen() ? u"%1×"_s.arg(current()->scale(), 0, 'f', 2)
                                             : QString());
}

} // namespace fw::ui
