#include "views/graph/graphs_view.h"

#include "picture/graph_diagram.h"
#include "snapshot/time_text.h"
#include "views/common/numbers.h"
#include "views/common/state_overlay.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QSplitter>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr GraphSide sides[] = {GraphSide::Imported, GraphSide::Fused};

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

// Only what a canvas shows: constants are folded into their consumers.
snapshot::NodeSet drawn(const snapshot::GraphDocument* graph, snapshot::NodeSet ids) {
    std::erase_if(ids, [&](snapshot::NodeId id) {
        const auto* node = nodeOf(graph, id);
        return !node || node->constant;
    });
    return ids;
}

} // namespace

GraphsView::GraphsView(QWidget* parent)
    : View(parent), m_imported(new GraphPane(u"Imported"_s)), m_fused(new GraphPane(u"Fused"_s)),
      m_step(new StepPane) {
    auto* panes = new QSplitter(Qt::Horizontal, this);
    panes->setObjectName(u"panes"_s);
    panes->addWidget(m_imported);
    panes->addWidget(m_fused);
    panes->addWidget(m_step);
    m_step->hide();
    panes->setChildrenCollapsible(false);
    panes->setSizes({500, 560, 560});
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panes);
    setFocusProxy(m_fused);
    m_collapse = new Collapse(m_imported, m_fused, this);
    for (const GraphSide side : sides) {
        connectPane(side);
        connectBlocks(side);
    }
    connect(m_collapse, &Collapse::changed, this, &GraphsView::redraw);
    connect(m_imported->canvas(), &GraphCanvas::activated, this, [this](std::int64_t id) {
        if (id >= 0)
            Q_EMIT insideWanted(id);
    });
    m_joint = new JointPanes(m_imported, m_fused, this);
    connect(m_step, &GraphPane::busyChanged, this, &GraphsView::busyChanged);
    addCommands();
}

GraphCanvas* GraphsView::current() const {
    if (side() == GraphSide::Fused && m_step->isVisible())
        return m_step->canvas();
    return pane(side())->canvas();
}

void GraphsView::stepChanged() {
    const auto& step = selection().step();
    const bool keys = m_step->isAncestorOf(window()->focusWidget());
    m_step->setVisible(step.has_value());
    m_fused->setVisible(!step);
    setFocusProxy(step ? static_cast<QWidget*>(m_step) : m_fused);
    if (step)
        m_step->show(document().step(), *step);
    else if (keys)
        m_fused->setFocus();
}

void GraphsView::connectPane(GraphSide side) {
    GraphPane* shown = pane(side);
    GraphCanvas* canvas = shown->canvas();
    connect(shown->overlay(), &StateOverlay::cancelRequested, this,
            [this] { Q_EMIT requested(Request::Stop); });
    connect(shown->overlay(), &StateOverlay::actionRequested, this,
            [this] { Q_EMIT requested(Request::Reload); });
    connect(shown, &GraphPane::busyChanged, this, [this, side, shown] {
        if (!shown->busy()) { // other boxes stand for the same nodes
            showSelection(nullptr);
            showHalos();
            showHeat();
            showTrace();
            showAwaited(side);
        }
        Q_EMIT busyChanged();
    });
    connect(shown, &GraphPane::noted, this, &GraphsView::logged);
    connect(canvas, &GraphCanvas::menuRequested, this,
            [this](std::int64_t, const QPoint& at) { Q_EMIT menuRequested(at); });
    connect(canvas, &GraphCanvas::scaleChanged, this, &GraphsView::showStatus);
    connect(canvas, &GraphCanvas::selectionChanged, this,
            [this, side](const std::vector<std::int64_t>& ids) {
                selection().pick(selection().of(side, m_collapse->nodesOf(side, ids)), this, side);
            });
}

void GraphsView::addCommands() {
    const auto fit = addCommand(
        Place::Bar, u"Fit"_s, {},
        [this] {
            for (const GraphSide side : sides)
                pane(side)->canvas()->fitAll();
        },
        Needs::Nothing);
    fit->setToolTip(u"Fit both graphs"_s);
    addCommand(Place::View, u"&Fit"_s, u"Ctrl+9"_s, [this] { current()->fitAll(); });
    addCommand(
        Place::View, u"Fit &selection"_s, u"Ctrl+8"_s, [this] { current()->fitSelection(); },
        Needs::Model, OfNodes::Yes);
    addCommand(Place::View, u"&100 %"_s, u"Ctrl+0"_s, [this] { current()->setScale(1); });
    addCommand(Place::View, u"Zoom &in"_s, u"Ctrl++"_s,
               [this] { current()->setScale(current()->scale() * 1.25); });
    addCommand(Place::View, u"Zoom &out"_s, u"Ctrl+-"_s,
               [this] { current()->setScale(current()->scale() / 1.25); });
    QAction* minimap = addCommand(
        Place::View, u"&Minimap"_s, u"Ctrl+M"_s, [] {}, Needs::Nothing);
    minimap->setCheckable(true);
    minimap->setChecked(true);
    connect(minimap, &QAction::toggled, this, [this](bool on) {
        for (const GraphSide side : sides)
            pane(side)->canvas()->setMinimapShown(on);
    });
    QAction* regions = addCommand(
        Place::View, u"&Regions of libraries"_s, u"Ctrl+Alt+J"_s, [] {}, Needs::Nothing);
    regions->setCheckable(true);
    connect(regions, &QAction::toggled, this, &GraphsView::setRegionsShown);
    m_jointCommand = addCommand(
        Place::View, u"&One layout for both graphs"_s, u"Ctrl+Alt+Q"_s, [] {}, Needs::Nothing);
    m_jointCommand->setCheckable(true);
    connect(m_jointCommand, &QAction::toggled, this, &GraphsView::setJoint);
    addSeparator(Place::View);
    addBlockCommands();
    addReachCommands();
    addSeparator(Place::View);
    auto* heats = new QActionGroup(this);
    const auto heat = [&](const QString& name, const QString& keys, Heat choice) {
        QAction* action = addCommand(
            Place::View, name, keys, [this, choice] { setHeat(choice); }, Needs::Nothing);
        action->setCheckable(true);
        action->setChecked(choice == m_heat);
        heats->addAction(action);
    };
    heat(u"No &heat"_s, u"Ctrl+H"_s, Heat::None);
    heat(u"Heat by &time"_s, u"Ctrl+Shift+H"_s, Heat::Time);
    heat(u"Heat by time &per operation"_s, u"Ctrl+Alt+H"_s, Heat::Slowness);
    addCommand(Place::Walk, u"&Next operator"_s, u"Ctrl+]"_s, [this] { walk(+1); });
    addCommand(Place::Walk, u"&Previous operator"_s, u"Ctrl+["_s, [this] { walk(-1); });
    addCommand(Place::Picture, u"Save &picture…"_s, u"Ctrl+Alt+E"_s, [this] {
        Q_EMIT pictureOffered(current()->picture(), side() == GraphSide::Imported
                                                        ? u"Save the imported graph"_s
                                                        : u"Save the fused graph"_s);
    });
}

std::vector<QWidget*> GraphsView::stops() {
    return {m_imported->canvas(), m_step->isVisible() ? m_step->canvas() : m_fused->canvas()};
}

GraphSide GraphsView::side() const {
    return m_imported->isAncestorOf(window()->focusWidget()) ? GraphSide::Imported
                                                             : GraphSide::Fused;
}

void GraphsView::documentChanged(Parts parts) {
    if (parts.hasAny({Part::Imported, Part::Info}))
        showGraph(GraphSide::Imported);
    // Times stand in the headers of the groups.
    if (parts.hasAny({Part::Fused, Part::Regions, Part::Plan, Part::Info}) ||
        (parts.has(Part::Profile) && document().fused()))
        showGraph(GraphSide::Fused);
    if (parts.has(Part::Plan)) {
        selectionChanged(nullptr);
        if (m_regions)
            Q_EMIT detailsWanted();
    }
    if (parts.has(Part::Step) && selection().step())
        m_step->show(document().step(), *selection().step());
    if (parts.hasAny({Part::Fused, Part::Regions, Part::Profile}))
        showHeat();
    showStatus();
}

void GraphsView::showState(GraphSide side) {
    const bool imported = side == GraphSide::Imported;
    const Part part = imported ? Part::Imported : Part::Fused;
    const auto& graph = imported ? document().imported() : document().fused();
    StateOverlay* overlay = pane(side)->overlay();
    const auto failed = [&](const Diag& diag) {
        const QString again = diag.code == DiagCode::WorkerDied ? u"Try again"_s : QString();
        if (graph) // what was there stays usable
            overlay->setStale(text(diag.text()), again);
        else
            overlay->setError(imported ? u"The graph cannot be shown"_s : u"There is no plan"_s,
                              text(diag.text()), again);
    };
    const auto stopped = [&] {
        if (!document().wasStopped(part) && (imported || !document().wasStopped(Part::Plan)))
            return false;
        const QString said = imported ? u"Reading was stopped."_s : u"Planning was stopped."_s;
        if (graph)
            overlay->setStale(said, u"Go on"_s);
        else
            overlay->setEmpty(u"Stopped"_s, said, u"Go on"_s);
        return true;
    };
    switch (document().state(part)) {
    case State::Empty:
        if (!stopped())
            overlay->setReady();
        break;
    case State::Busy:
        overlay->setBusy(imported ? u"Reading …"_s : u"Planning …"_s);
        break;
    case State::Ready:
        if (!imported && document().state(Part::Plan) == State::Error)
            failed(document().error(Part::Plan));
        else if (!imported && stopped())
            break;
        else
            overlay->setReady();
        break;
    case State::Stale:
        overlay->setStale(document().staleReason());
        break;
    case State::Error:
        failed(document().error(part));
        break;
    }
}

const Shared<snapshot::GraphDocument>& GraphsView::graphOf(GraphSide side) const {
    if (side == GraphSide::Imported)
        return document().imported();
    const bool regions = m_regions && document().state(Part::Regions) == State::Ready;
    return regions ? document().regions() : document().fused();
}

void GraphsView::setRegionsShown(bool shown) {
    m_regions = shown;
    showGraph(GraphSide::Fused);
    showHeat();
    if (shown)
        Q_EMIT detailsWanted();
}

void GraphsView::selectionSettled() {
    const State state = document().state(Part::Regions);
    if (!m_regions || !document().plan() || document().state(Part::Plan) != State::Ready ||
        state == State::Ready || state == State::Busy || state == State::Error)
        return;
    snapshot::Arguments about;
    about.stage = "partitioned";
    Q_EMIT wanted(Part::Regions, about);
}

void GraphsView::showGraph(GraphSide side) {
    const bool imported = side == GraphSide::Imported;
    const auto& graph = graphOf(side);
    GraphPane* shown = pane(side);
    showState(side);
    auto& drawn = m_drawn[std::size_t(side)];
    if (!graph) {
        m_joint->clear();
        if (std::exchange(drawn, nullptr))
            shown->clear();
        return;
    }
    if (document().state(imported ? Part::Imported : Part::Fused) != State::Ready)
        return;
    // A new picture only for a new graph; a new time in a header is one, too.
    Shared<snapshot::ProfileDocument> times;
    const bool groups = !imported && graph == document().fused();
    if (groups && document().state(Part::Profile) == State::Ready)
        times = document().profileResult();
    if (drawn == graph && shown->canvas()->picture() && (imported || times == m_drawnTimes))
        return;
    drawn = graph;
    picture::DiagramOptions options;
    if (!imported)
        m_drawnTimes = times;
    if (m_drawnTimes) {
        std::map<int, double> sums;
        for (const auto& row : m_drawnTimes->rows)
            sums[row.groupId] += row.medianUs;
        for (const auto& [group, us] : sums)
            options.groupTexts[group] = snapshot::timeText(us);
    }
    int operators = 0;
    for (const auto& node : graph->nodes)
        operators += !node.constant && node.op != "input";
    const QString ops = countOf(operators, u"op"_s);
    shown->setDetail(
        imported ? ops
                 : countOf(std::int64_t(graph->groups.size()), groups ? u"group"_s : u"region"_s) +
                       u", "_s + ops);
    m_collapse->begin(document().info() ? document().info()->model : graph->name, *graph);
    if (const auto part = partOf(side))
        m_collapse->show(side, part, options, {});
    else if (!showJoint(options))
        m_collapse->show(side, graph, options, m_collapse->view());
}

void GraphsView::redraw() {
    for (const GraphSide side : sides)
        m_drawn[std::size_t(side)] = nullptr;
    for (const GraphSide side : sides)
        showGraph(side);
}

void GraphsView::setJoint(bool) {
    m_joint->clear();
    m_around.reset();
    redraw();
    showHalos();
}

bool GraphsView::showJoint(const picture::DiagramOptions& options) {
    const auto &left = m_drawn[0], &right = m_drawn[1];
    if (!m_jointCommand->isChecked())
        return false;
    if (!left || !right || document().state(Part::Imported) != State::Ready ||
        document().state(Part::Fused) != State::Ready) {
        m_joint->clear(); // until both are there
        return false;
    }
    if (const std::size_t nodes = left->nodes.size() + right->nodes.size();
        nodes > JointPanes::mostNodes) {
        m_joint->clear();
        Q_EMIT said(u"one layout takes up to %1 nodes, these are %2"_s.arg(JointPanes::mostNodes)
                        .arg(nodes));
        return false;
    }
    m_joint->show(left, right, options, *m_collapse);
    showHalos();
    return true;
}

bool GraphsView::serve(Request request) {
    if (request == Request::NextChange)
        return walkChanges(+1);
    return request == Request::PreviousChange && walkChanges(-1);
}

bool GraphsView::walkChanges(int step) {
    if (!m_joint->shown())
        return false;
    const auto changes = m_joint->changes();
    if (changes.empty()) {
        Q_EMIT said(u"rewriting changed nothing"_s);
        return true;
    }
    const Picked& picked = selection().picked();
    const auto at = std::find_if(changes.begin(), changes.end(), [&](const auto* node) {
        return picked.fused.contains(node->right) ||
               (node->right == snapshot::noNode && picked.imported.contains(node->left));
    });
    const auto count = std::ptrdiff_t(changes.size());
    const std::ptrdiff_t next = at == changes.end() ? (step > 0 ? 0 : count - 1)
                                                    : (at - changes.begin() + step + count) % count;
    const snapshot::JointNode& node = *changes[std::size_t(next)];
    const bool erased = node.right == snapshot::noNode;
    const GraphSide side = erased ? GraphSide::Imported : GraphSide::Fused;
    Picked one;
    (erased ? one.imported : one.fused) = {erased ? node.left : node.right};
    if (node.mark == snapshot::JointNode::Mark::Changed)
        one.imported = {node.left};
    selection().pick(one, nullptr, side);
    selection().reveal(side, erased ? node.left : node.right);
    Q_EMIT said(u"change %1 of %2"_s.arg(next + 1).arg(count));
    return true;
}

// Of a node that only one of the graphs has: what took it out, or put it in.
void GraphsView::sayCounterpart() {
    const Picked& picked = selection().picked();
    if (!m_joint->shown() || !selection().side())
        return;
    const bool imported = *selection().side() == GraphSide::Imported;
    const snapshot::NodeSet& nodes = imported ? picked.imported : picked.fused;
    if (nodes.size() != 1)
        return;
    const auto* joint = m_joint->find(
        imported ? picture::JointSide::Left : picture::JointSide::Right, *nodes.begin());
    const auto* node =
        nodeOf(imported ? document().imported().get() : document().fused().get(), *nodes.begin());
    if (!joint || !node ||
        (joint->mark != snapshot::JointNode::Mark::Erased &&
         joint->mark != snapshot::JointNode::Mark::Created))
        return;
    QString how = imported ? u"rewriting took it out"_s : u"rewriting put it in"_s;
    const snapshot::RewrittenNode wanted{node->name, node->op};
    if (document().rewrite())
        for (const auto& one : document().rewrite()->applications) {
            const auto& list = imported ? one.erased : one.created;
            if (std::find(list.begin(), list.end(), wanted) != list.end())
                how = (imported ? u"erased by %1, application %2"_s
                                : u"created by %1, application %2"_s)
                          .arg(text(one.rule))
                          .arg(one.number);
        }
    Q_EMIT said(u"%1 has no counterpart: %2"_s.arg(text(node->name), how));
}

// What is picked elsewhere, and hidden in a closed block, is opened if it is little.
void GraphsView::selectionChanged(const QObject* origin) {
    const std::size_t opened = origin == this ? 1 : 20; // nodes, at most
    if (origin == this)
        sayCounterpart();
    showSelection(origin);
    Picked shown;
    for (const GraphSide side : sides) {
        if (origin == this && selection().side() == side)
            continue;
        const bool imported = side == GraphSide::Imported;
        (imported ? shown.imported : shown.fused) =
            drawn(graphOf(side).get(),
                  imported ? selection().picked().imported : selection().picked().fused);
    }
    const bool opens = std::max(shown.imported.size(), shown.fused.size()) <= opened;
    if (opens)
        m_collapse->reveal(shown);
    for (const GraphSide side : sides)
        if (const auto& nodes = side == GraphSide::Imported ? shown.imported : shown.fused;
            !nodes.empty())
            comeIntoView(side, {*nodes.begin(), Selection::Reveal::IntoView, opens});
}

void GraphsView::showSelection(const QObject* origin) {
    const Picked& picked = selection().picked();
    for (const GraphSide side : sides) {
        if (origin == this && selection().side() == side)
            continue;
        const snapshot::NodeSet& nodes =
            side == GraphSide::Imported ? picked.imported : picked.fused;
        pane(side)->canvas()->setSelected(
            m_collapse->boxesOf(side, drawn(graphOf(side).get(), nodes)));
    }
}

void GraphsView::placeChanged() {
    showHalos();
}

void GraphsView::showHalos() {
    const PickedPlace& place = selection().place();
    for (const GraphSide side : sides) {
        std::vector<Halo> halos = m_joint->marks(
            side == GraphSide::Imported ? picture::JointSide::Left : picture::JointSide::Right);
        if (place.side == side)
            halos.insert(halos.end(), place.frames.begin(), place.frames.end());
        pane(side)->canvas()->setHalos(m_collapse->onBoxes(side, std::move(halos)));
    }
}

void GraphsView::revealed(GraphSide side, snapshot::NodeId node, Selection::Reveal how) {
    if (m_around && m_around->side == side && m_collapse->isMissing(side, node))
        endReach();
    m_collapse->reveal(side, node);
    comeIntoView(side, {node, how, true});
}

// Now, or with the picture that is being made.
void GraphsView::comeIntoView(GraphSide side, const Awaited& what) {
    m_awaited[std::size_t(side)] = what;
    if (!pane(side)->busy() && pane(side)->canvas()->picture())
        showAwaited(side);
}

void GraphsView::showAwaited(GraphSide side) {
    const auto awaited = std::exchange(m_awaited[std::size_t(side)], {});
    if (!awaited)
        return;
    GraphCanvas* canvas = pane(side)->canvas();
    const std::int64_t box = m_collapse->boxOf(side, awaited->node);
    if (awaited->opens && box != awaited->node) { // of a graph that was not there before
        m_awaited[std::size_t(side)] = Awaited{awaited->node, awaited->how, false};
        return m_collapse->reveal(side, awaited->node);
    }
    if (awaited->how == Selection::Reveal::InTheMiddle)
        canvas->centerOn(box);
    else
        canvas->reveal(box);
}

void GraphsView::setHeat(Heat heat) {
    m_heat = heat;
    showHeat();
}

// Relative to the hottest group or node: a share of the time, or the time per operation. A group,
// or a region, takes as long as its nodes together, and is as slow as the slowest of them.
void GraphsView::showHeat() {
    GraphCanvas::HeatOf fused, imported, containers;
    QString most;
    if (m_heat != Heat::None && document().state(Part::Profile) == State::Ready &&
        document().fused()) {
        for (const auto& row : document().profileResult()->rows) {
            if (m_heat == Heat::Slowness && !(row.flops && *row.flops > 0))
                continue;
            for (const auto& node : row.nodes) {
                const double heat = m_heat == Heat::Time ? row.medianUs * node.share.value_or(0)
                                                         : row.medianUs * 1e6 / *row.flops;
                fused[node.id] = heat;
            }
        }
        double hottest = 0;
        for (const auto& node : graphOf(GraphSide::Fused)->nodes) {
            const auto heat = fused.find(node.id);
            if (heat == fused.end())
                continue;
            double& all = node.group < 0 ? hottest : containers[node.group];
            all = node.group >= 0 && m_heat == Heat::Time ? all + heat->second
                                                          : std::max(all, heat->second);
            hottest = std::max(hottest, all);
        }
        const auto together =
            m_heat == Heat::Time ? Collapse::Together::Sum : Collapse::Together::Most;
        const auto boxes = m_collapse->onBoxes(GraphSide::Fused, fused, together);
        for (const auto& [id, heat] : boxes)
            hottest = std::max(hottest, heat);
        most = m_heat == Heat::Time ? text(snapshot::timeText(hottest))
                                    : QString::number(hottest, 'g', 3) + u" ps per FLOP"_s;
        for (auto& [id, heat] : containers)
            heat = hottest > 0 ? heat / hottest : 0;
        for (auto& [id, heat] : fused) {
            heat = hottest > 0 ? heat / hottest : 0;
            for (const auto origin : selection().provenance().toImported({id}))
                imported[origin] = std::max(imported[origin], heat);
        }
        fused = boxes;
        for (auto& [id, heat] : fused)
            heat = hottest > 0 ? heat / hottest : 0;
        imported = m_collapse->onBoxes(GraphSide::Imported, imported, together);
    }
    m_fused->canvas()->setHeat(std::move(fused), std::move(containers), most);
    m_imported->canvas()->setHeat(std::move(imported), {}, most);
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
