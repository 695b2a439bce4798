#include "views/graph/graphs_view.h"

#include "picture/graph_diagram.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QSplitter>

#include <algorithm>
#include <numeric>

namespace fw::ui {

using namespace Qt::StringLiterals;

GraphsView::GraphsView(QWidget* parent)
    : View(parent), m_splitter(new QSplitter(Qt::Horizontal, this)), m_step(new StepPane),
      m_collapse(new Collapse(this)), m_joint(new JointPanes(m_collapse, this)) {
    m_splitter->setObjectName(u"panes"_s);
    m_splitter->addWidget(m_step);
    m_step->hide();
    makePane({Stage::Imported});
    makePane({Stage::Fused});
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizes({500, 560, 560});
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_splitter);
    setFocusProxy(pane(1));
    connect(m_collapse, &Collapse::changed, this, &GraphsView::redraw);
    connect(m_joint, &JointPanes::ready, this, &GraphsView::jointReady);
    connect(m_joint, &JointPanes::busyChanged, this, &GraphsView::busyChanged);
    connect(m_step, &GraphPane::busyChanged, this, &GraphsView::busyChanged);
    addCommands();
}

bool GraphsView::settled() const {
    return !m_step->busy() && !m_joint->busy() &&
           std::none_of(m_panes.begin(), m_panes.end(),
                        [](const ShownPane& shown) { return shown.pane->busy(); });
}

std::size_t GraphsView::makePane(const GraphState& state) {
    auto* made = new GraphPane(state.text());
    m_splitter->insertWidget(m_splitter->count() - 1, made); // in front of the application
    m_panes.push_back({made, state});
    m_collapse->add(made);
    connectPane(made);
    connectBlocks(made);
    connectReach(made);
    return m_panes.size() - 1;
}

std::size_t GraphsView::indexOf(const GraphPane* pane) const {
    return std::size_t(std::find_if(m_panes.begin(), m_panes.end(),
                                    [&](const ShownPane& shown) { return shown.pane == pane; }) -
                       m_panes.begin());
}

std::optional<std::size_t> GraphsView::paneOf(GraphSide side) const {
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (sideOf(i) == side)
            return i;
    return {};
}

std::optional<GraphSide> GraphsView::sideOf(std::size_t pane) const {
    const GraphState& state = m_panes[pane].state;
    if (state.is(Stage::Imported))
        return GraphSide::Imported;
    return state.hasFusedIds() ? std::optional(GraphSide::Fused) : std::nullopt;
}

GraphPane* GraphsView::pane(GraphSide side) const {
    return pane(paneOf(side).value_or(side == GraphSide::Imported ? 0 : 1));
}

std::size_t GraphsView::currentPane() const {
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (pane(i)->isAncestorOf(window()->focusWidget()))
            return i;
    return 1;
}

GraphCanvas* GraphsView::current() const {
    const std::size_t at = currentPane();
    return at > 0 && m_step->isVisible() ? m_step->canvas() : pane(at)->canvas();
}

void GraphsView::stepChanged() {
    const auto& step = selection().step();
    const bool keys = m_step->isAncestorOf(window()->focusWidget());
    const bool appears = step && m_step->isHidden(), ends = !step && !m_step->isHidden();
    if (appears)
        m_sizesApart = m_splitter->sizes();
    m_step->setVisible(step.has_value());
    if (appears && std::any_of(m_panes.begin() + 1, m_panes.end(), [this](const ShownPane& shown) {
            return shown.pane->isAncestorOf(window()->focusWidget());
        }))
        m_step->setFocus(); // what had the keys is hidden now
    for (std::size_t i = 1; i < m_panes.size(); ++i)
        pane(i)->setVisible(!step);
    if (appears) {
        QList<int> halves(m_splitter->count(), 0);
        const int all = std::accumulate(m_sizesApart.begin(), m_sizesApart.end(), 0);
        halves.first() = all / 2;
        halves.last() = all - all / 2;
        m_splitter->setSizes(halves);
    } else if (ends && m_sizesApart.size() == m_splitter->count()) {
        m_splitter->setSizes(m_sizesApart);
    }
    setFocusProxy(step ? static_cast<QWidget*>(m_step) : pane(1));
    if (step)
        m_step->show(document().step(), *step);
    else if (keys)
        pane(1)->setFocus();
}

void GraphsView::connectPane(GraphPane* shown) {
    GraphCanvas* canvas = shown->canvas();
    auto* menu = new QMenu(shown);
    shown->header()->addMenu(menu, u"What this pane shows"_s);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, shown] {
        menu->clear();
        for (const Choice& choice : choicesFor(indexOf(shown)))
            menu->addAction(choice.text, this, choice.act)->setToolTip(choice.detail);
    });
    connect(shown->overlay(), &StateOverlay::cancelRequested, this,
            [this] { Q_EMIT asked(Request::Stop); });
    connect(shown->overlay(), &StateOverlay::actionRequested, this, [this, shown] {
        if (const std::size_t at = indexOf(shown); compared(at))
            Q_EMIT asked(WantState{m_panes[at].state});
        else
            Q_EMIT asked(Request::Reload);
    });
    connect(shown, &GraphPane::busyChanged, this, [this, shown] {
        if (!shown->busy()) { // other boxes stand for the same nodes
            showSelection(nullptr);
            showHalos();
            showHeat();
            showTrace();
            showAwaited(indexOf(shown));
        }
        Q_EMIT busyChanged();
    });
    connect(shown, &GraphPane::noted, this,
            [this](const QString& line) { Q_EMIT asked(Log{line}); });
    connect(canvas, &GraphCanvas::menuRequested, this,
            [this](std::int64_t, const QPoint& at) { Q_EMIT asked(ShowNodeMenu{at}); });
    connect(canvas, &GraphCanvas::scaleChanged, this, &GraphsView::showStatus);
    connect(canvas, &GraphCanvas::selectionChanged, this,
            [this, shown](const std::vector<std::int64_t>& ids) { picked(indexOf(shown), ids); });
    connect(canvas, &GraphCanvas::activated, this, [this, shown](std::int64_t id) {
        if (id >= 0 && sideOf(indexOf(shown)) == GraphSide::Imported)
            Q_EMIT asked(ShowInside{id});
    });
}

void GraphsView::addCommands() {
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
    m_regionsCommand = addCommand(
        MenuPlace::View, u"&Regions of libraries"_s, u"Ctrl+Alt+J"_s, [] {}, Needs::Nothing);
    m_regionsCommand->setCheckable(true);
    connect(m_regionsCommand, &QAction::toggled, this, &GraphsView::setRegionsShown);
    m_jointCommand = addCommand(
        MenuPlace::View, u"&One layout for all graphs"_s, u"Ctrl+Alt+Q"_s, [] {}, Needs::Nothing);
    m_jointCommand->setCheckable(true);
    connect(m_jointCommand, &QAction::toggled, this, &GraphsView::setJoint);
    addStateCommands();
    addSeparator(MenuPlace::View);
    addBlockCommands();
    addReachCommands();
    addSeparator(MenuPlace::View);
    auto* heats = new QActionGroup(this);
    const auto heat = [&](const QString& name, const QString& keys, Heat choice) {
        QAction* action = addCommand(
            MenuPlace::View, name, keys, [this, choice] { setHeat(choice); }, Needs::Nothing);
        action->setCheckable(true);
        action->setChecked(choice == m_heat);
        heats->addAction(action);
    };
    heat(u"No &heat"_s, u"Ctrl+H"_s, Heat::None);
    heat(u"Heat by &time"_s, u"Ctrl+Shift+H"_s, Heat::Time);
    heat(u"Heat by time &per operation"_s, u"Ctrl+Alt+H"_s, Heat::Slowness);
    addCommand(MenuPlace::Walk, u"&Next operator"_s, u"Ctrl+]"_s, [this] { walk(+1); });
    addCommand(MenuPlace::Walk, u"&Previous operator"_s, u"Ctrl+["_s, [this] { walk(-1); });
    addCommand(MenuPlace::Picture, u"Save &picture…"_s, u"Ctrl+Alt+E"_s, [this] {
        Q_EMIT asked(SavePicture{current()->picture(), side() == GraphSide::Imported
                                                           ? u"Save the imported graph"_s
                                                           : u"Save the fused graph"_s});
    });
}

std::vector<QWidget*> GraphsView::stops() {
    if (m_step->isVisible())
        return {pane(0)->canvas(), m_step->canvas()};
    std::vector<QWidget*> out;
    for (const ShownPane& shown : m_panes)
        out.push_back(shown.pane->canvas());
    return out;
}

GraphSide GraphsView::side() const {
    return sideOf(currentPane()).value_or(GraphSide::Fused);
}

void GraphsView::documentChanged(Parts parts) {
    if (document().inputs().model != m_model)
        beginAnew();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        const bool imported = sideOf(i) == GraphSide::Imported;
        const Parts mine = compared(i) ? Parts{Part::States, Part::Plan, Part::Info}
                           : imported  ? Parts{Part::Imported, Part::Info}
                                       : Parts{Part::Fused, Part::Regions, Part::Plan, Part::Info};
        // Times stand in the headers of the groups.
        if (parts.hasAny(mine) ||
            (sideOf(i) == GraphSide::Fused && parts.has(Part::Profile) && document().fused()))
            showGraph(i);
    }
    if (parts.has(Part::Plan)) {
        selectionChanged(nullptr);
        if (m_regionsCommand->isChecked())
            Q_EMIT asked(WantDetails{});
    }
    if (parts.has(Part::Step) && selection().step())
        m_step->show(document().step(), *selection().step());
    if (parts.hasAny({Part::Fused, Part::Regions, Part::Profile, Part::States}))
        showHeat();
    if (parts.has(Part::Explain))
        showHalos();
    if (parts.hasAny({Part::Plan, Part::States}))
        wantStates();
    showStatus();
}

void GraphsView::setRegionsShown(bool shown) {
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (m_panes[i].state.is(shown ? Stage::Fused : Stage::Partitioned)) {
            m_panes[i].state.stage = shown ? Stage::Partitioned : Stage::Fused;
            nameOf(i);
            showGraph(i);
        }
    showHeat();
    if (shown)
        Q_EMIT asked(WantDetails{});
}

void GraphsView::selectionSettled() {
    const State state = document().state(Part::Regions);
    const bool wants = std::any_of(m_panes.begin(), m_panes.end(), [](const ShownPane& shown) {
        return shown.state.is(Stage::Partitioned);
    });
    if (!wants || !document().plan() || document().state(Part::Plan) != State::Ready ||
        state == State::Ready || state == State::Busy || state == State::Error)
        return;
    snapshot::Arguments about;
    about.stage = "partitioned";
    Q_EMIT asked(WantPart{Part::Regions, about});
}

void GraphsView::showGraph(std::size_t at) {
    ShownPane& shown = m_panes[at];
    const auto graph = graphOf(at);
    showState(at);
    if (!graph) {
        if (std::exchange(shown.drawn, nullptr)) {
            if (m_joint->stateOf(shown.pane))
                m_joint->clear();
            shown.pane->clear();
        }
        return;
    }
    if (stateOf(at) != State::Ready)
        return;
    // A new picture only for a new graph; a new time in a header is one, too.
    Shared<snapshot::ProfileDocument> times;
    const bool groups = graph == document().fused();
    if (groups && document().state(Part::Profile) == State::Ready)
        times = document().profileResult();
    if (shown.drawn == graph && shown.pane->canvas()->picture() && times == shown.times)
        return;
    shown.drawn = graph;
    shown.times = times;
    int operators = 0;
    for (const auto& node : graph->nodes)
        operators += !node.constant && node.op != "input";
    const QString ops = countOf(operators, u"op"_s);
    const bool regions = graph->stage == "partitioned";
    shown.pane->setDetail(
        graph->groups.empty() && graph->stage != "fused"
            ? ops
            : countOf(std::int64_t(graph->groups.size()), regions ? u"region"_s : u"group"_s) +
                  u", "_s + ops);
    m_collapse->begin(document().info() ? document().info()->model : graph->name, *graph);
    picture::DiagramOptions options;
    options.groupTexts = groupTextsOf(times.get());
    if (const auto part = partOf(at))
        m_collapse->show(shown.pane, part, options, {});
    else if (!showJoint())
        m_collapse->show(shown.pane, graph, options, m_collapse->view());
}

void GraphsView::redraw() {
    if (m_joint->shown())
        return m_joint->redraw();
    for (ShownPane& shown : m_panes)
        shown.drawn = nullptr;
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        showGraph(i);
}

void GraphsView::placeChanged() {
    showHalos();
}

void GraphsView::showHalos() {
    const PickedPlace& place = selection().place();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        std::vector<Halo> halos = m_joint->marks(pane(i));
        if (place.side == sideOf(i))
            halos.insert(halos.end(), place.frames.begin(), place.frames.end());
        halos = m_collapse->onBoxes(pane(i), std::move(halos));
        if (Halo way = wayIn(i); way.ids.size() > 1)
            halos.push_back(std::move(way));
        pane(i)->canvas()->setHalos(std::move(halos));
    }
}

// Where what is explained gets out of a group, or comes back: of the pair that is selected.
Halo GraphsView::wayIn(std::size_t at) const {
    Halo out{{}, Halo::Look::Way, {}};
    const auto explained = document().explanation();
    if (!explained || sideOf(at) != GraphSide::Fused || compared(at) ||
        document().state(Part::Explain) != State::Ready ||
        snapshot::NodeSet(explained->nodes.begin(), explained->nodes.end()) !=
            selection().picked().fused)
        return out;
    for (const snapshot::WayRecord& node : explained->way)
        if (const std::int64_t box = m_collapse->boxOf(pane(at), node.node);
            out.ids.empty() || out.ids.back() != box)
            out.ids.push_back(box);
    return out;
}

void GraphsView::revealed(GraphSide side, snapshot::NodeId node, Selection::Reveal how) {
    const auto at = paneOf(side);
    if (!at)
        return;
    if (m_around && m_around->pane == pane(*at) && m_collapse->isMissing(pane(*at), node))
        endReach();
    m_collapse->reveal(pane(*at), node);
    comeIntoView(*at, {node, how, true});
}

void GraphsView::showStatus() {
    Q_EMIT statusChanged(document().isOpen() ? u"%1×"_s.arg(current()->scale(), 0, 'f', 2)
                                             : QString());
}

// In the graph's own order, so every operator is reached.
void GraphsView::walk(int step) {
    const bool imported = side() == GraphSide::Imported;
    const auto& graph = imported ? document().imported() : document().fused();
    if (!graph)
        return;
    std::vector<snapshot::NodeId> order;
    for (const auto& node : graph->nodes)
        if (!node.constant)
            order.push_back(node.id);
    if (order.empty())
        return;
    const Picked& picked = selection().picked();
    const snapshot::NodeSet& now = imported ? picked.imported : picked.fused;
    const auto last = std::ptrdiff_t(order.size()) - 1;
    const auto at = std::find_if(order.begin(), order.end(),
                                 [&](snapshot::NodeId id) { return now.contains(id); });
    const std::ptrdiff_t next =
        at == order.end() ? (step > 0 ? 0 : last)
                          : std::clamp<std::ptrdiff_t>(at - order.begin() + step, 0, last);
    selection().pick(selection().of(side(), {order[std::size_t(next)]}));
}

} // namespace fw::ui
