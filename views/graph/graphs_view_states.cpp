// Which states the panes show, and how people choose them.
#include "views/common/region_pins.h"
#include "views/common/state_overlay.h"
#include "views/common/text.h"
#include "views/graph/graphs_view.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QSignalBlocker>
#include <QSplitter>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostPanes = 4;
constexpr std::size_t mostRuns = 40; // of rules, that are listed

} // namespace

const StateGraph* GraphsView::compared(std::size_t at) const {
    static const StateGraph none;
    if (sideOf(at))
        return nullptr;
    const auto found = document().stateGraphs().find(m_panes[at].state);
    return found == document().stateGraphs().end() ? &none : &found->second;
}

State GraphsView::stateOf(std::size_t at) const {
    if (const StateGraph* other = compared(at))
        return other->state;
    return document().state(sideOf(at) == GraphSide::Imported ? Part::Imported : Part::Fused);
}

Shared<snapshot::GraphDocument> GraphsView::graphOf(std::size_t at) const {
    if (const StateGraph* other = compared(at))
        return other->graph;
    if (sideOf(at) == GraphSide::Imported)
        return document().imported();
    const bool regions =
        m_panes[at].state.is(Stage::Partitioned) && document().state(Part::Regions) == State::Ready;
    return regions ? document().regions() : document().fused();
}

void GraphsView::nameOf(std::size_t at) {
    pane(at)->setTitle(m_panes[at].state.text());
    const QSignalBlocker quiet(m_regionsCommand);
    m_regionsCommand->setChecked(
        std::any_of(m_panes.begin(), m_panes.end(),
                    [](const ShownPane& shown) { return shown.state.is(Stage::Partitioned); }));
}

void GraphsView::setState(std::size_t at, const GraphState& state) {
    if (m_panes[at].state == state)
        return;
    m_panes[at].state = state;
    m_panes[at].drawn = nullptr;
    nameOf(at);
    if (!m_jointCommand->isChecked())
        m_jointCommand->setChecked(true); // shows all of them
    else
        showAllAnew();
    showHeat();
    wantStates();
    Q_EMIT asked(WantDetails{});
}

void GraphsView::wantStates() {
    // What the document shows itself is asked first.
    const State plan = document().state(Part::Plan);
    if (!document().isOpen() || (plan != State::Ready && plan != State::Error))
        return;
    std::vector<GraphState> wanted;
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (const StateGraph* other = compared(i))
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
    QList<int> sizes = m_splitter->sizes();
    const std::size_t at = makePane(m_panes.back().state);
    nameOf(at);
    pane(at)->setVisible(!m_step->isVisible());
    sizes.insert(int(at), sizes[int(at) - 1]);
    m_splitter->setSizes(sizes);
    if (!m_jointCommand->isChecked())
        m_jointCommand->setChecked(true);
    else
        showAllAnew();
    Q_EMIT asked(WantDetails{});
}

void GraphsView::removePane() {
    if (m_panes.size() <= 2)
        return Q_EMIT asked(Say{u"two panes are the least"_s});
    GraphPane* last = m_panes.back().pane;
    if (last->isAncestorOf(window()->focusWidget()))
        pane(1)->setFocus();
    if (m_around && m_around->pane == last)
        m_around.reset();
    m_panes.pop_back();
    delete last;
    nameOf(m_panes.size() - 1);
    showAllAnew();
}

void GraphsView::addStateCommands() {
    addCommand(MenuPlace::View, u"Choose what the pane shows …"_s, u"Ctrl+Alt+."_s,
               [this] { offerStates(); });
    addCommand(MenuPlace::View, u"Add a pane"_s, u"Alt+Shift+Right"_s, [this] { addPane(); });
    addCommand(MenuPlace::View, u"Take a pane away"_s, u"Alt+Shift+Left"_s,
               [this] { removePane(); });
    addCommand(
        MenuPlace::Pins, u"Pin re&gion to …"_s, u"Ctrl+Alt+Z"_s, [this] { offerRegion(); },
        Needs::Model, OfNodes::Yes);
}

void GraphsView::offerStates() {
    const std::size_t at = currentPane();
    Q_EMIT asked(OfferChoice{u"What the pane %1 shows"_s.arg(at + 1), choicesFor(at)});
}

std::vector<Choice> GraphsView::choicesFor(std::size_t at) {
    std::vector<Choice> out;
    const auto add = [&](const GraphState& state, const QString& detail = {}) {
        out.push_back({state.text(), detail, [this, at, state] { setState(at, state); }});
    };
    add({Stage::Imported});
    // Behind every rule: its applications in a row.
    if (document().rewrite()) {
        const auto& all = document().rewrite()->applications;
        std::size_t runs = 0;
        for (std::size_t i = 0; i < all.size() && runs < mostRuns; ++i)
            if (i + 1 == all.size() || all[i + 1].rule != all[i].rule) {
                ++runs;
                GraphState state{Stage::Behind};
                state.application = all[i].number;
                out.push_back({u"%1: %2"_s.arg(state.text(), text(all[i].rule)),
                               {},
                               [this, at, state] { setState(at, state); }});
            }
        if (!all.empty())
            out.push_back({u"After application …"_s, {}, [this, at] { askApplication(at); }});
    }
    add({Stage::Rewritten});
    add({Stage::Partitioned}, u"what each library, and code of ours, computes in a row"_s);
    add({Stage::Fused});
    // Of other circumstances the stage that the pane shows, or the fused graph.
    const Stage now = m_panes[at].state.stage;
    const Stage later = now == Stage::Rewritten || now == Stage::Partitioned ? now : Stage::Fused;
    const auto target = [&](const std::string& libraries) {
        GraphState state{later};
        state.target = document().inputs().target +
                       (document().inputs().target.empty() ? "" : " ") + "-libs=" + libraries;
        if (*state.target != document().inputs().fullTarget())
            add(state);
    };
    target("");
    if (document().doctor())
        for (const auto& library : document().doctor()->libraries)
            if (library.status == "ready")
                target(library.name);
    out.push_back({u"%1 for another target …"_s.arg(GraphState{later}.text()), {}, [this, at] {
                       askTarget(at);
                   }});
    const auto without = [&](const std::string& book) {
        GraphState state{later};
        state.without = book;
        add(state);
    };
    for (const std::string& book : document().inputs().enabledBooks())
        without(book);
    // Shipped ones of which a rule acted.
    std::vector<std::string> shipped;
    if (document().rewrite())
        for (const auto& applied : document().rewrite()->applied)
            if (!applied.file.empty() && applied.file.find('/') == std::string::npos &&
                std::find(shipped.begin(), shipped.end(), applied.file) == shipped.end())
                shipped.push_back(applied.file);
    for (const std::string& book : shipped)
        without(book);
    out.push_back({u"Another model …"_s, {}, [this, at] { askModel(at); }});
    return out;
}

void GraphsView::askApplication(std::size_t at) {
    const int last = int(document().rewrite()->applications.back().number);
    bool given = false;
    const int number = QInputDialog::getInt(
        this, u"After an application"_s, u"Number of the application, 0 to %1:"_s.arg(last),
        int(std::clamp<std::int64_t>(m_panes[at].state.application, 0, last)), 0, last, 1, &given);
    GraphState state{Stage::Behind};
    state.application = number;
    if (given)
        setState(at, state);
}

void GraphsView::askTarget(std::size_t at) {
    bool given = false;
    const QString target = QInputDialog::getText(
        this, u"Another target"_s, u"Target:"_s, QLineEdit::Normal,
        text(m_panes[at].state.target.value_or(document().inputs().fullTarget())), &given);
    const Stage now = m_panes[at].state.stage;
    GraphState state{now == Stage::Rewritten || now == Stage::Partitioned ? now : Stage::Fused};
    state.target = target.simplified().toStdString();
    if (given)
        setState(at, state);
}

void GraphsView::askModel(std::size_t at) {
    const QString file = QFileDialog::getOpenFileName(
        this, u"Compare with another model"_s, QFileInfo(text(document().inputs().model)).path(),
        u"Models (*.onnx *.fw);;All files (*)"_s);
    if (file.isEmpty())
        return;
    // Like with like: the stage of the pane beside it.
    GraphState state{m_panes[at == 0 ? 1 : at - 1].state.stage};
    if (state.stage == Stage::Behind)
        state.stage = Stage::Rewritten;
    state.model = file.toStdString();
    setState(at, state);
}

// --- regions

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

void GraphsView::showState(std::size_t at) {
    const bool imported = sideOf(at) == GraphSide::Imported;
    const StateGraph* other = compared(at);
    const Part part = imported ? Part::Imported : Part::Fused;
    const auto graph = graphOf(at);
    StateOverlay* overlay = pane(at)->overlay();
    const auto failed = [&](const Diag& diag) {
        const QString again = other ? u"Try again"_s : againText(diag);
        if (graph) // what was there stays usable
            overlay->setStale(text(diag.text()), again);
        else
            overlay->setError(imported || other ? u"The graph cannot be shown"_s
                                                : u"There is no plan"_s,
                              text(diag.text()), again);
    };
    const auto stopped = [&] {
        const bool was =
            other ? other->state == State::Empty || other->state == State::Stale
                  : document().wasStopped(part) || (!imported && document().wasStopped(Part::Plan));
        if (!was || (other && other->error.code != DiagCode::Cancelled))
            return false;
        const QString said =
            imported || other ? u"Reading was stopped."_s : u"Planning was stopped."_s;
        if (graph)
            overlay->setStale(said, u"Go on"_s);
        else
            overlay->setEmpty(u"Stopped"_s, said, u"Go on"_s);
        return true;
    };
    switch (stateOf(at)) {
    case State::Empty:
        if (!stopped())
            overlay->setReady();
        break;
    case State::Busy:
        overlay->setBusy(imported ? u"Reading …"_s
                         : other  ? other->graph ? u"Asking again …"_s : u"Asking …"_s
                                  : u"Planning …"_s);
        break;
    case State::Ready:
        if (!imported && !other && document().state(Part::Plan) == State::Error)
            failed(document().error(Part::Plan));
        else if (m_panes[at].state.is(Stage::Partitioned) &&
                 document().state(Part::Regions) == State::Error)
            failed(document().error(Part::Regions));
        else if (!imported && !other && stopped())
            break;
        else
            overlay->setReady();
        break;
    case State::Stale:
        if (!other || !stopped())
            overlay->setStale(document().staleReason());
        break;
    case State::Error:
        failed(other ? other->error : document().error(part));
        break;
    }
}

} // namespace fw::ui
