#include "views/graph/pane_states.h"

#include "views/common/state_overlay.h"
#include "views/common/text.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

using Stage = GraphState::Stage;
using Set = std::function<void(const GraphState&)>;

constexpr std::size_t mostRuns = 40; // of rules, that are listed

void askApplication(const GraphPanes& panes, std::size_t at, const Set& set) {
    const int last = int(panes.document().rewrite()->applications.back().number);
    bool given = false;
    const int number = QInputDialog::getInt(
        &panes.view(), u"After an application"_s,
        u"Number of the application, 0 to %1:"_s.arg(last),
        int(std::clamp<std::int64_t>(panes[at].state.application, 0, last)), 0, last, 1, &given);
    GraphState state{Stage::Behind};
    state.application = number;
    if (given)
        set(state);
}

void askTarget(const GraphPanes& panes, std::size_t at, const Set& set) {
    bool given = false;
    const QString target = QInputDialog::getText(
        &panes.view(), u"Another target"_s, u"Target:"_s, QLineEdit::Normal,
        text(panes[at].state.target.value_or(panes.document().inputs().fullTarget())), &given);
    const Stage now = panes[at].state.stage;
    GraphState state{now == Stage::Rewritten || now == Stage::Partitioned ? now : Stage::Fused};
    state.target = target.simplified().toStdString();
    if (given)
        set(state);
}

void askModel(const GraphPanes& panes, std::size_t at, const Set& set) {
    const QString file =
        QFileDialog::getOpenFileName(&panes.view(), u"Compare with another model"_s,
                                     QFileInfo(text(panes.document().inputs().model)).path(),
                                     u"Models (*.onnx *.fw);;All files (*)"_s);
    if (file.isEmpty())
        return;
    // Like with like: the stage of the pane beside it.
    GraphState state{panes[at == 0 ? 1 : at - 1].state.stage};
    if (state.stage == Stage::Behind)
        state.stage = Stage::Rewritten;
    state.model = file.toStdString();
    set(state);
}

void showLayoutOf(const GraphPane& pane) {
    const QString said = u"The layout was stopped."_s;
    if (pane.busy())
        pane.overlay()->setBusy(u"Laying out …"_s);
    else if (!pane.stopped())
        pane.overlay()->setReady();
    else if (pane.canvas()->picture())
        pane.overlay()->setStale(said, u"Go on"_s);
    else
        pane.overlay()->setEmpty(u"Stopped"_s, said, u"Go on"_s);
}

// Behind every rule: its applications in a row.
void addApplications(const GraphPanes& panes, std::size_t at, const Set& set,
                     std::vector<Choice>& out) {
    if (!panes.document().rewrite())
        return;
    const auto& all = panes.document().rewrite()->applications;
    std::size_t runs = 0;
    for (std::size_t i = 0; i < all.size() && runs < mostRuns; ++i)
        if (i + 1 == all.size() || all[i + 1].rule != all[i].rule) {
            ++runs;
            GraphState state{Stage::Behind};
            state.application = all[i].number;
            out.push_back({u"%1: %2"_s.arg(state.text(), text(all[i].rule)), {}, [set, state] {
                               set(state);
                           }});
        }
    if (!all.empty())
        out.push_back(
            {u"After application …"_s, {}, [&panes, at, set] { askApplication(panes, at, set); }});
}

// Shipped books of which a rule acted.
std::vector<std::string> actingShipped(const DocumentParts& document) {
    std::vector<std::string> shipped;
    if (document.rewrite())
        for (const auto& applied : document.rewrite()->applied)
            if (!applied.file.empty() && applied.file.find('/') == std::string::npos &&
                std::find(shipped.begin(), shipped.end(), applied.file) == shipped.end())
                shipped.push_back(applied.file);
    return shipped;
}

} // namespace

std::vector<Choice> stateChoices(const GraphPanes& panes, std::size_t at, const Set& set) {
    std::vector<Choice> out;
    const auto add = [&](const GraphState& state, const QString& detail = {}) {
        out.push_back({state.text(), detail, [set, state] { set(state); }});
    };
    add({Stage::Imported});
    addApplications(panes, at, set, out);
    add({Stage::Rewritten});
    add({Stage::Partitioned}, u"what each library, and code of ours, computes in a row"_s);
    add({Stage::Fused});
    // Of other circumstances the stage that the pane shows, or the fused graph.
    const Stage now = panes[at].state.stage;
    const Stage later = now == Stage::Rewritten || now == Stage::Partitioned ? now : Stage::Fused;
    const auto target = [&](const std::string& libraries) {
        GraphState state{later};
        state.target = panes.document().inputs().target +
                       (panes.document().inputs().target.empty() ? "" : " ") + "-libs=" + libraries;
        if (*state.target != panes.document().inputs().fullTarget())
            add(state);
    };
    target("");
    if (panes.document().doctor())
        for (const auto& library : panes.document().doctor()->libraries)
            if (library.status == "ready")
                target(library.name);
    out.push_back({u"%1 for another target …"_s.arg(GraphState{later}.text()),
                   {},
                   [&panes, at, set] { askTarget(panes, at, set); }});
    const auto without = [&](const std::string& book) {
        GraphState state{later};
        state.without = book;
        add(state);
    };
    for (const std::string& book : panes.document().inputs().enabledBooks())
        without(book);
    for (const std::string& book : actingShipped(panes.document()))
        without(book);
    out.push_back({u"Another model …"_s, {}, [&panes, at, set] { askModel(panes, at, set); }});
    return out;
}

void showStateOf(const GraphPanes& panes, std::size_t at) {
    const bool imported = panes.sideOf(at) == GraphSide::Imported;
    const StateGraph* other = panes.compared(at);
    const Part part = imported ? Part::Imported : Part::Fused;
    const auto graph = panes.graphOf(at);
    StateOverlay* overlay = panes.pane(at)->overlay();
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
        const bool was = other ? other->state == State::Empty || other->state == State::Stale
                               : panes.document().wasStopped(part) ||
                                     (!imported && panes.document().wasStopped(Part::Plan));
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
    switch (panes.stateOf(at)) {
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
        if (!imported && !other && panes.document().state(Part::Plan) == State::Error)
            failed(panes.document().error(Part::Plan));
        else if (panes[at].state.is(Stage::Partitioned) &&
                 panes.document().state(Part::Regions) == State::Error)
            failed(panes.document().error(Part::Regions));
        else if (!imported && !other && stopped())
            break;
        else
            showLayoutOf(*panes.pane(at));
        break;
    case State::Stale:
        if (!other || !stopped())
            overlay->setStale(panes.document().staleReason());
        break;
    case State::Error:
        failed(other ? other->error : panes.document().error(part));
        break;
    }
}

} // namespace fw::ui
