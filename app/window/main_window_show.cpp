// Fills the views from the document.
#include "app/window/graph_pane.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/problems_view.h"
#include "app/window/welcome_view.h"
#include "picture/graph_diagram.h"
#include "snapshot/time_text.h"
#include "views/authoring/rules_view.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/compare/changes_view.h"
#include "views/explain/explain_view.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/outline_view.h"
#include "views/inspector/properties_view.h"
#include "views/profile/profile_view.h"
#include "views/stages/stages_view.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <tuple>

namespace fw::ui {

using namespace Qt::StringLiterals;
using Part = Document::Part;
using State = Document::State;

namespace {

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

} // namespace

void MainWindow::partChanged(Part part) {
    switch (part) {
    case Part::Info:
        if (m_document.state(part) == State::Error)
            m_welcome->setBusy({});
        showFollowers();
        break;
    case Part::Imported:
        showGraph(GraphSide::Imported);
        break;
    case Part::Fused:
        if (m_document.state(part) == State::Ready) {
            m_provenance = snapshot::Provenance(*m_document.fused());
            translateSelection();
        }
        showGraph(GraphSide::Fused);
        showHeat();
        break;
    case Part::Plan:
        showGraph(GraphSide::Fused);
        showImplementations();
        showExplain();
        showSelection(nullptr);
        showFollowers();
        break;
    case Part::Profile:
        showProfile();
        break;
    case Part::Explain:
        showExplain();
        break;
    case Part::Stages:
        showStage();
        break;
    case Part::Value:
        showValue();
        break;
    }
    updateStatus();
}

void MainWindow::showGraph(GraphSide side) {
    GraphPane* shown = pane(side);
    const Part part = side == GraphSide::Imported ? Part::Imported : Part::Fused;
    const auto graph = side == GraphSide::Imported ? m_document.imported() : m_document.fused();
    StateOverlay* overlay = shown->overlay();
    const auto failed = [&](const Diag& diag) {
        if (graph) // what was there stays usable
            overlay->setStale(text(diag.text()));
        else
            overlay->setError(side == GraphSide::Imported ? u"The graph cannot be shown"_s
                                                          : u"There is no plan"_s,
                              text(diag.text()));
    };
    switch (m_document.state(part)) {
    case State::Empty:
        overlay->setReady();
        break;
    case State::Busy:
        overlay->setBusy(side == GraphSide::Imported ? u"Reading …"_s : u"Planning …"_s);
        break;
    case State::Ready:
        if (side == GraphSide::Fused && m_document.state(Part::Plan) == State::Error)
            failed(m_document.error(Part::Plan));
        else
            overlay->setReady();
        break;
    case State::Stale:
        overlay->setStale(m_document.staleReason());
        break;
    case State::Error:
        failed(m_document.error(part));
        break;
    }
    // A new picture only for a new graph; a new time in a header is one, too.
    if (m_document.state(part) != State::Ready && graph)
        return;
    if (!graph) {
        shown->clear();
        return;
    }
    picture::DiagramOptions options;
    if (side == GraphSide::Fused && m_document.state(Part::Profile) == State::Ready) {
        std::map<int, double> times;
        for (const auto& row : m_document.profileResult()->rows)
            times[row.groupId] += row.medianUs;
        for (const auto& [group, us] : times)
            options.groupTexts[group] = snapshot::timeText(us);
    }
    const auto last = shown->property("fwGraph").value<quintptr>();
    const auto now = quintptr(graph.get()) ^
                     (options.groupTexts.empty() ? 0 : quintptr(m_document.profileResult().get()));
    if (last == now && shown->canvas()->picture())
        return;
    shown->setProperty("fwGraph", QVariant::fromValue(now));
    int operators = 0;
    for (const auto& node : graph->nodes)
        operators += !node.constant && node.op != "input";
    shown->setDetail(side == GraphSide::Imported
                         ? countOf(operators, u"op"_s)
                         : countOf(std::int64_t(graph->groups.size()), u"group"_s) + u", "_s +
                               countOf(operators, u"op"_s));
    shown->setDiagram([graph, options] { return picture::diagramOf(*graph, options); });
    if (side == GraphSide::Fused || !m_document.fused())
        m_outline->setGraph(graph);
    m_outlineTitle->setDetail(u"%1 ops"_s.arg(m_outline->model().operatorCount()));
}

void MainWindow::showProfile() {
    m_profile->setProfile(m_document.profileResult());
    StateOverlay* overlay = m_profile->overlay();
    switch (m_document.state(Part::Profile)) {
    case State::Empty:
        overlay->setEmpty(u"No times yet"_s, u"Times need a compiled module."_s,
                          m_document.isOpen() ? u"Compile && profile"_s : QString());
        break;
    case State::Busy:
        overlay->setBusy(u"Compiling and measuring …"_s);
        break;
    case State::Ready:
        overlay->setReady();
        break;
    case State::Stale:
        overlay->setStale(u"These times belong to an earlier target or plan."_s,
                          u"Profile again"_s);
        break;
    case State::Error:
        overlay->setError(u"No times"_s, text(m_document.error(Part::Profile).text()),
                          u"Try again"_s);
        break;
    }
    if (m_selection.group >= 0)
        m_profile->selectGroup(m_selection.group);
    showTimes();
    if (m_document.fused())
        showGraph(GraphSide::Fused); // times stand in the headers of the groups
}

void MainWindow::showImplementations() {
    if (m_document.state(Part::Plan) == State::Ready || !m_document.plan())
        m_implementations->setPlan(m_document.plan());
    StateOverlay* overlay = m_implementations->overlay();
    switch (m_document.state(Part::Plan)) {
    case State::Empty:
        overlay->setEmpty(u"No plan yet"_s, u"Open a model to see who computes what."_s);
        break;
    case State::Busy:
        overlay->setBusy(u"Planning …"_s);
        break;
    case State::Ready:
        overlay->setReady();
        break;
    case State::Stale:
        overlay->setStale(m_document.staleReason());
        break;
    case State::Error:
        if (m_document.plan())
            overlay->setStale(text(m_document.error(Part::Plan).text()));
        else
            overlay->setError(u"There is no plan"_s, text(m_document.error(Part::Plan).text()));
        break;
    }
    const auto plan = m_document.plan();
    const QString log = QFileInfo(text(m_document.inputs().log)).fileName();
    m_implementationsTitle->setDetail(
        plan ? countOf(std::int64_t(plan->groups.size()), u"group"_s) +
                   (log.isEmpty() ? QString() : u", measurements "_s + log)
             : QString());
    showTimes();
    showVerified();
}

void MainWindow::showVerified() {
    m_implementations->setVerified(m_document.verified());
}

// The times of a profile, where they stand beside something else.
void MainWindow::showTimes() {
    std::map<int, double> times;
    if (m_document.state(Part::Profile) == State::Ready)
        for (const auto& row : m_document.profileResult()->rows)
            times[row.groupId] += row.medianUs; // reorders and stages are rows of their own
    m_implementations->setTimes(std::move(times));
    showHeat();
}

void MainWindow::showExplain() {
    const State state = m_document.state(Part::Explain);
    const bool about = !m_selection.fused.empty();
    m_explain->setContent(about && state != State::Error ? m_document.explanation() : nullptr);
    m_explain->setPair(m_selection.fused.size() == 2 && m_selection.group < 0
                           ? ExplainView::Pair::Yes
                           : ExplainView::Pair::No);
    m_explainTitle->setDetail(
        about && m_document.explanation() ? text(m_document.explanation()->subject) : QString());
    if (about && state == State::Error)
        m_explain->overlay()->setError(u"No explanation"_s,
                                       text(m_document.error(Part::Explain).text()));
    else if (about && state == State::Busy)
        m_explain->overlay()->setBusy(u"Asking …"_s);
    else if (about && state == State::Stale)
        m_explain->overlay()->setStale(u"This belongs to an earlier plan."_s);
    else
        m_explain->overlay()->setReady();
}

void MainWindow::showChanges() {
    const auto changes = m_document.changes();
    m_changes->setChanges(changes);
    const std::size_t count =
        changes ? changes->changed.size() + changes->added.size() + changes->removed.size() : 0;
    m_changesDock->setWindowTitle(count ? u"Changes (%1)"_s.arg(count) : u"Changes"_s);
    if (!changes)
        return;
    m_log->add(u"planned again: "_s +
               (count ? m_changes->model().summary() : u"nothing changed"_s));
    say(count ? u"plan: "_s + m_changes->model().summary() : u"the plan stays as it was"_s);
    if (count)
        m_changesDock->raise();
}

// What is wrong with books is a problem while it is: of the texts that are typed, and of the files.
void MainWindow::showTextProblems() {
    Diags standing;
    const auto add = [&](const Diags& diags) {
        for (const Diag& diag : diags)
            if (diag.severity != Severity::Note && diag.where.line > 0)
                standing.push_back(diag);
    };
    for (const auto& [path, check] : m_document.checks()) {
        add(check->diagnostics);
        for (const auto& item : check->items)
            add(item.diagnostics);
    }
    std::stable_sort(standing.begin(), standing.end(), [](const Diag& a, const Diag& b) {
        return std::tuple(a.where.file, a.where.line, a.where.column) <
               std::tuple(b.where.file, b.where.line, b.where.column);
    });
    standing.erase(std::unique(standing.begin(), standing.end()), standing.end());
    m_problems->model().setStanding(std::move(standing));
    updateStatus();
}

void MainWindow::showRules() {
    RulesContent content;
    content.books = m_document.inputs().books;
    content.checks = m_document.checks();
    content.rewrite = m_document.rewrite();
    content.matches = m_document.matches();
    m_rules->setContent(std::move(content));
    m_rules->setOrder(m_document.order());
    const auto rewrite = m_document.rewrite();
    m_rulesTitle->setDetail(
        rewrite ? u"%1 → %2 ops"_s.arg(rewrite->nodesBefore).arg(rewrite->nodesAfter) : QString());
    if (m_document.isOpen())
        showFollowers();
    else
        m_rules->overlay()->setEmpty(u"No rules yet"_s, u"Open a model first."_s);
}

// What hangs on the plan without being a part of the document: it keeps its content while there is
// no newer one.
void MainWindow::showFollowers() {
    const auto info = m_document.state(Part::Info);
    const auto plan = m_document.state(Part::Plan);
    StateOverlay* properties = m_properties->overlay();
    if (info == State::Error && !m_document.isOpen())
        properties->setError(u"The model could not be read"_s,
                             text(m_document.error(Part::Info).text()));
    else if (info == State::Busy)
        properties->setBusy(u"Opening …"_s);
    const auto changes = m_document.changes();
    const std::pair<StateOverlay*, bool> followers[] = {
        {m_outline->overlay(), m_outline->model().rowCount() > 0},
        {m_changes->overlay(), changes && !changes->empty()},
        {m_rules->overlay(), m_document.isOpen()}};
    for (const auto& [overlay, filled] : followers) {
        switch (plan) {
        case State::Busy:
            overlay->setBusy(u"Planning …"_s);
            break;
        case State::Stale:
            if (filled)
                overlay->setStale(m_document.staleReason());
            break;
        case State::Error:
            if (filled)
                overlay->setStale(text(m_document.error(Part::Plan).text()));
            else
                overlay->setError(u"There is no plan"_s, text(m_document.error(Part::Plan).text()));
            break;
        case State::Ready:
        case State::Empty:
            if (filled)
                overlay->setReady();
            else if (overlay == m_changes->overlay())
                m_changes->setChanges(changes); // says why there are none
            break;
        }
    }
}

void MainWindow::showStage() {
    const auto stage = m_document.stage();
    QString title;
    if (stage && stage->group && m_document.plan()) {
        for (const auto& group : m_document.plan()->groups) {
            if (group.id == *stage->group)
                title = text(group.name);
        }
    }
    const State state = m_document.state(Part::Stages);
    if (state == State::Error)
        m_stages->overlay()->setError(u"No text"_s, text(m_document.error(Part::Stages).text()));
    else if (state == State::Busy)
        return m_stages->overlay()->setBusy(u"Lowering …"_s);
    else if (state == State::Stale)
        m_stages->overlay()->setStale(u"This belongs to an earlier plan."_s);
    else
        m_stages->overlay()->setReady();
    m_stages->setText(state == State::Error ? nullptr : stage, title);
    m_stages->setSelected(m_selection.fused);
}

void MainWindow::showValue() {
    ValuePanel* panel = m_properties->values();
    switch (m_document.state(Part::Value)) {
    case State::Empty:
    case State::Ready:
    case State::Stale:
        panel->setValue(m_document.state(Part::Value) == State::Ready ? m_document.value()
                                                                      : nullptr);
        panel->overlay()->setReady();
        break;
    case State::Busy:
        panel->overlay()->setBusy(u"Reading …"_s);
        break;
    case State::Error:
        panel->setValue(nullptr);
        panel->overlay()->setError(u"No values"_s, text(m_document.error(Part::Value).text()));
        break;
    }
}

void MainWindow::setHeat(Heat heat) {
    m_heat = heat;
    showHeat();
}

// Relative to the hottest node: a share of the time, or the time per operation.
void MainWindow::showHeat() {
    std::map<std::int64_t, double> fused, imported;
    QString most;
    if (m_heat != Heat::None && m_document.state(Part::Profile) == State::Ready &&
        m_document.fused()) {
        double hottest = 0;
        for (const auto& row : m_document.profileResult()->rows) {
            if (m_heat == Heat::Slowness && !(row.flops && *row.flops > 0))
                continue;
            for (const auto& node : row.nodes) {
                const double heat = m_heat == Heat::Time ? row.medianUs * node.share.value_or(0)
                                                         : row.medianUs * 1e6 / *row.flops;
                fused[node.id] = heat;
                hottest = std::max(hottest, heat);
            }
        }
        most = m_heat == Heat::Time ? text(snapshot::timeText(hottest))
                                    : QString::number(hottest, 'g', 3) + u" ps per FLOP"_s;
        for (auto& [id, heat] : fused) {
            heat = hottest > 0 ? heat / hottest : 0;
            for (const auto origin : m_provenance.toImported({id}))
                imported[origin] = std::max(imported[origin], heat);
        }
    }
    m_fusedPane->canvas()->setHeat(std::move(fused), most);
    m_importedPane->canvas()->setHeat(std::move(imported), most);
}

void MainWindow::showProblem(const Diag& diag) {
    m_log->add(text(diag.text()));
    if (diag.code == DiagCode::Cancelled)
        return;
    m_problems->model().add(diag);
    if (diag.severity == Severity::Error || diag.code == DiagCode::WorkerDied)
        m_message->tell(text(diag.text()));
    updateStatus();
}

void MainWindow::showProgress(const snapshot::Progress& progress) {
    m_statusTask->setText(fontMetrics().elidedText(
        text(progress.stage) + (progress.text.empty() ? QString() : u": "_s + text(progress.text)),
        Qt::ElideMiddle, 320));
    m_progress->setRange(0, int(std::min<std::int64_t>(progress.total, 1 << 30)));
    m_progress->setValue(int(std::min<std::int64_t>(progress.done, 1 << 30)));
}

void MainWindow::say(const QString& text) {
    m_statusNote->setText(fontMetrics().elidedText(text, Qt::ElideRight, 460));
    QTimer::singleShot(8000, m_statusNote, [this, shown = m_statusNote->text()] {
        if (m_statusNote->text() == shown)
            m_statusNote->clear();
    });
}

void MainWindow::updateStatus() {
    m_statusFile->setText(m_document.isOpen() ? m_document.fileName() : u"no model"_s);
    QString counts;
    if (m_document.info())
        counts = countOf(m_document.info()->nodes, u"op"_s);
    if (m_document.plan())
        counts += u", "_s + countOf(std::int64_t(m_document.plan()->groups.size()), u"group"_s);
    m_statusCounts->setText(counts);
    const std::size_t selected = std::max(m_selection.imported.size(), m_selection.fused.size());
    m_statusSelection->setText(selected ? u"%1 selected"_s.arg(selected) : QString());
    m_statusZoom->setText(m_document.isOpen()
                              ? u"%1×"_s.arg(currentPane()->canvas()->scale(), 0, 'f', 2)
                              : QString());
    QString target;
    if (m_document.plan())
        target = text(m_document.plan()->target);
    else if (m_document.doctor())
        target = text(m_document.doctor()->cpu.target);
    m_statusTarget->setText(target);
    const int errors = m_problems->model().count(Severity::Error);
    const int warnings = m_problems->model().count(Severity::Warning);
    QStringList problems;
    if (warnings)
        problems << u"⚠ %1"_s.arg(warnings);
    if (errors)
        problems << u"✖ %1"_s.arg(errors);
    m_statusProblems->setText(problems.join(u"  "_s));
    const bool busy = m_worker.state() == WorkerClient::State::Busy;
    switch (m_worker.state()) {
    case WorkerClient::State::Starting:
        m_statusWorker->setText(u"worker starts"_s);
        break;
    case WorkerClient::State::Idle:
        m_statusWorker->setText(u"idle"_s);
        break;
    case WorkerClient::State::Busy:
        m_statusWorker->setText(u"working"_s);
        break;
    case WorkerClient::State::Failed:
        m_statusWorker->setText(u"worker failed"_s);
        break;
    }
    m_statusTask->setVisible(busy);
    m_progress->setVisible(busy);
    m_cancel->setVisible(busy);
    if (!busy) {
        m_statusTask->clear();
        m_progress->setRange(0, 0);
    }
    updateActions();
}

} // namespace fw::ui
