#include "app/window/main_window.h"

#include "app/window/graph_pane.h"
#include "app/window/message_bar.h"
#include "app/window/problems_view.h"
#include "app/window/welcome_view.h"
#include "picture/graph_diagram.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/explain/explain_view.h"
#include "views/inspector/outline_view.h"
#include "views/inspector/properties_view.h"
#include "views/profile/profile_view.h"
#include "views/stages/stages_view.h"

#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QThread>
#include <QToolButton>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;
using Part = Document::Part;
using State = Document::State;

namespace {

// Changes when docks are added or renamed, so that an older saved layout is not applied.
constexpr int layoutVersion = 1;

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

} // namespace

MainWindow::MainWindow(const QString& workerProgram, Memory memory)
    : m_memory(memory), m_worker(workerProgram), m_document(m_worker) {
    setObjectName(u"mainWindow"_s);
    setWindowTitle(u"Fusewright"_s);
    setAcceptDrops(true);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setDocumentMode(true);
    resize(1440, 900);
    applyTheme(memory == Memory::Remember ? m_settings.theme() : ThemeChoice::System);

    m_details.setSingleShot(true);
    m_details.setInterval(120);
    connect(&m_details, &QTimer::timeout, this, &MainWindow::askForDetails);
    m_idleCheck.setSingleShot(true);
    m_idleCheck.setInterval(0);
    connect(&m_idleCheck, &QTimer::timeout, this, &MainWindow::checkIdle);

    buildCentre();
    buildDocks();
    buildActions();
    buildToolBar();
    buildStatusBar();
    connectDocument();
    connectViews();
    defaultLayout();
    m_defaultState = saveState(layoutVersion);
    if (memory == Memory::Remember) {
        restoreGeometry(m_settings.geometry());
        restoreState(m_settings.state(), layoutVersion);
        fillRecent();
    }
    const QString remembered = memory == Memory::Remember ? m_settings.target() : QString();
    setTargetText(remembered.isEmpty() ? m_target->itemText(0) : remembered);
    updateActions();
    updateStatus();
}

MainWindow::~MainWindow() {
    // Views hear nothing while they are destroyed.
    m_document.disconnect(this);
    m_worker.disconnect(this);
    m_worker.disconnect(&m_document);
}

void MainWindow::buildCentre() {
    m_message = new MessageBar;
    m_welcome = new WelcomeView;
    m_importedPane = new GraphPane(u"Imported"_s);
    m_fusedPane = new GraphPane(u"Fused"_s);
    auto* panes = new QSplitter(Qt::Horizontal);
    panes->setObjectName(u"panes"_s);
    panes->addWidget(m_importedPane);
    panes->addWidget(m_fusedPane);
    panes->setChildrenCollapsible(false);
    panes->setSizes({500, 560});
    m_centre = new QStackedWidget;
    m_centre->addWidget(m_welcome);
    m_centre->addWidget(panes);
    auto* all = new QWidget;
    auto* layout = new QVBoxLayout(all);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_message);
    layout->addWidget(m_centre, 1);
    setCentralWidget(all);
}

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* view,
                                 Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(view);
    addDockWidget(area, dock);
    m_docks.push_back(dock);
    return dock;
}

void MainWindow::buildDocks() {
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    m_outline = new OutlineView;
    m_explain = new ExplainView;
    m_properties = new PropertiesView;
    m_profile = new ProfileView;
    m_stages = new StagesView;
    m_problems = new ProblemsView;
    m_log = new LogView;
    m_outlineTitle =
        PaneHeader::install(addDock(u"outline"_s, u"Outline"_s, m_outline, Qt::LeftDockWidgetArea));
    m_explainTitle = PaneHeader::install(
        addDock(u"explain"_s, u"Explain"_s, m_explain, Qt::RightDockWidgetArea));
    m_propertiesTitle = PaneHeader::install(
        addDock(u"properties"_s, u"Properties"_s, m_properties, Qt::RightDockWidgetArea));
    // Tabs name the docks below; a title bar would say it twice.
    addDock(u"opTimesDock"_s, u"Op times"_s, m_profile, Qt::BottomDockWidgetArea);
    addDock(u"stages"_s, u"Stages"_s, m_stages, Qt::BottomDockWidgetArea);
    addDock(u"problems"_s, u"Problems"_s, m_problems, Qt::BottomDockWidgetArea);
    addDock(u"log"_s, u"Log"_s, m_log, Qt::BottomDockWidgetArea);
    for (std::size_t i = 3; i < m_docks.size(); ++i)
        m_docks[i]->setTitleBarWidget(new QWidget(m_docks[i]));
}

void MainWindow::defaultLayout() {
    for (QDockWidget* dock : m_docks) {
        dock->setFloating(false);
        dock->show();
    }
    addDockWidget(Qt::LeftDockWidgetArea, m_docks[0]);
    addDockWidget(Qt::RightDockWidgetArea, m_docks[1]);
    addDockWidget(Qt::RightDockWidgetArea, m_docks[2]);
    for (std::size_t i = 3; i < m_docks.size(); ++i) {
        addDockWidget(Qt::BottomDockWidgetArea, m_docks[i]);
        if (i > 3)
            tabifyDockWidget(m_docks[3], m_docks[i]);
    }
    m_docks[3]->raise();
    resizeDocks({m_docks[0], m_docks[1]}, {270, 400}, Qt::Horizontal);
    resizeDocks({m_docks[1], m_docks[2]}, {470, 300}, Qt::Vertical);
    resizeDocks({m_docks[3]}, {230}, Qt::Vertical);
}

void MainWindow::buildStatusBar() {
    QStatusBar* bar = statusBar();
    bar->setSizeGripEnabled(false);
    const auto label = [&](const QString& name) {
        auto* out = new QLabel(bar);
        out->setTextFormat(Qt::PlainText);
        out->setObjectName(name);
        return out;
    };
    m_statusFile = label(u"statusFile"_s);
    m_statusCounts = label(u"statusCounts"_s);
    m_statusSelection = label(u"statusSelection"_s);
    m_statusZoom = label(u"statusZoom"_s);
    m_statusNote = label(u"statusNote"_s);
    m_statusTask = label(u"statusTask"_s);
    m_statusTarget = label(u"statusTarget"_s);
    m_statusProblems = label(u"statusProblems"_s);
    m_statusWorker = label(u"statusWorker"_s);
    m_progress = new QProgressBar(bar);
    m_progress->setFixedWidth(120);
    m_progress->setTextVisible(false);
    m_cancel = new QToolButton(bar);
    m_cancel->setText(u"✕"_s);
    m_cancel->setAutoRaise(true);
    m_cancel->setToolTip(u"Stop"_s);
    m_cancel->setAccessibleName(u"Stop the running task"_s);
    connect(m_cancel, &QToolButton::clicked, &m_document, &Document::stop);
    for (QLabel* left : {m_statusFile, m_statusCounts, m_statusSelection, m_statusZoom})
        bar->addWidget(left);
    bar->addWidget(m_statusNote, 1);
    bar->addPermanentWidget(m_statusTask);
    bar->addPermanentWidget(m_progress);
    bar->addPermanentWidget(m_cancel);
    for (QLabel* right : {m_statusTarget, m_statusProblems, m_statusWorker})
        bar->addPermanentWidget(right);
}

void MainWindow::connectDocument() {
    connect(&m_document, &Document::modelChanged, this, &MainWindow::modelChanged);
    connect(&m_document, &Document::targetChanged, this, &MainWindow::updateStatus);
    connect(&m_document, &Document::partChanged, this, &MainWindow::partChanged);
    connect(&m_document, &Document::problem, this, &MainWindow::showProblem);
    connect(&m_document, &Document::note, this, [this](const QString& line) {
        m_log->add(line);
        say(line);
    });
    connect(&m_document, &Document::taskChanged, this, &MainWindow::updateActions);
    connect(&m_document, &Document::idleChanged, this, [this] {
        m_idleCheck.start();
        updateActions();
    });
    connect(&m_worker, &WorkerClient::stateChanged, this, &MainWindow::updateStatus);
    connect(&m_worker, &WorkerClient::progressed, this,
            [this](qint64, const snapshot::Progress& progress) { showProgress(progress); });
    connect(&m_worker, &WorkerClient::logged, m_log, &LogView::add);
    connect(&m_worker, &WorkerClient::died, this, &MainWindow::showProblem);
}

void MainWindow::connectViews() {
    connect(m_welcome, &WelcomeView::openRequested, this, &MainWindow::openDialog);
    connect(m_welcome, &WelcomeView::recentRequested, this, &MainWindow::openModel);
    for (GraphPane* pane : {m_importedPane, m_fusedPane}) {
        const bool imported = pane == m_importedPane;
        connect(pane, &GraphPane::busyChanged, this, [this] {
            showSelection(nullptr);
            m_idleCheck.start();
        });
        connect(pane, &GraphPane::noted, m_log, &LogView::add);
        connect(pane->canvas(), &GraphCanvas::scaleChanged, this, &MainWindow::updateStatus);
        connect(pane->canvas(), &GraphCanvas::selectionChanged, this,
                [this, imported, pane](const std::vector<std::int64_t>& ids) {
                    snapshot::NodeSet nodes(ids.begin(), ids.end());
                    std::erase_if(nodes, [](std::int64_t id) { return id < 0; });
                    setSelection(imported ? fromImported(nodes) : fromFused(nodes), pane->canvas());
                });
    }
    connect(m_fusedPane->canvas(), &GraphCanvas::containerActivated, this,
            [this](std::int64_t group) { setSelection(fromGroup(int(group)), nullptr); });
    connect(m_outline, &OutlineView::activated, this,
            [this](int group, qint64 node) { activate(group, node); });
    connect(m_profile, &ProfileView::activated, this,
            [this](int group, qint64 node) { activate(group, node); });
    connect(m_profile->overlay(), &StateOverlay::actionRequested, &m_document, &Document::profile);
    for (StateOverlay* overlay : {m_importedPane->overlay(), m_fusedPane->overlay(),
                                  m_profile->overlay(), m_explain->overlay(), m_stages->overlay()})
        connect(overlay, &StateOverlay::cancelRequested, &m_document, &Document::stop);
    connect(m_stages, &StagesView::nodesActivated, this,
            [this](const std::vector<std::int64_t>& ids) {
                setSelection(fromFused({ids.begin(), ids.end()}), m_stages);
            });
    connect(m_stages, &StagesView::stageChanged, &m_details, qOverload<>(&QTimer::start));
    connect(m_docks[4], &QDockWidget::visibilityChanged, this, [this](bool shown) {
        if (shown)
            m_details.start();
    });
    connect(m_problems, &ProblemsView::activated, this, &MainWindow::selectByName);
}

void MainWindow::openModel(const QString& path) {
    m_message->clear();
    if (!m_document.isOpen())
        m_welcome->setBusy(u"Opening %1 …"_s.arg(QFileInfo(path).fileName()));
    m_document.open(path);
}

void MainWindow::modelChanged() {
    m_message->clear();
    m_welcome->setBusy({});
    m_centre->setCurrentIndex(1);
    m_selection = {};
    m_history.clear();
    m_historyAt = 0;
    m_provenance = {};
    m_outline->setGraph(nullptr);
    setWindowTitle(m_document.fileName() + u" – Fusewright"_s);
    if (m_memory == Memory::Remember) {
        m_settings.addRecent(m_document.path());
        m_settings.setFolder(QFileInfo(m_document.path()).absolutePath());
        fillRecent();
    }
    m_log->add(u"opened "_s + m_document.path());
    updateActions();
    updateStatus();
}

void MainWindow::partChanged(Part part) {
    switch (part) {
    case Part::Info:
        if (m_document.state(part) == State::Error)
            m_welcome->setBusy({});
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
        break;
    case Part::Plan:
        showGraph(GraphSide::Fused);
        showExplain();
        showSelection(nullptr);
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
            overlay->setError(side == GraphSide::Imported ? u"The model could not be read"_s
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
        overlay->setStale(u"This belongs to an earlier target."_s);
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
        for (const auto& row : m_document.profileResult()->rows)
            options.groupTexts[row.groupId] =
                millisecondsText(row.medianUs / 1e3).toStdString() + " ms";
    }
    auto diagram = picture::diagramOf(*graph, options);
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
                         ? u"%1 ops"_s.arg(operators)
                         : u"%1 groups, %2 ops"_s.arg(graph->groups.size()).arg(operators));
    shown->setDiagram(std::move(diagram));
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
    if (m_document.fused())
        showGraph(GraphSide::Fused); // times stand in the headers of the groups
}

void MainWindow::showExplain() {
    const snapshot::GroupRecord* group = nullptr;
    int wanted = m_selection.group;
    if (wanted < 0 && !m_selection.fused.empty())
        wanted = m_provenance.groupOf(*m_selection.fused.begin());
    const auto plan = m_document.plan();
    if (plan) {
        for (const auto& candidate : plan->groups) {
            if (candidate.id == wanted && wanted >= 0)
                group = &candidate;
        }
    }
    const State state = m_document.state(Part::Explain);
    const bool about = !m_selection.fused.empty();
    m_explain->setContent(about && state != State::Error ? m_document.explanation() : nullptr,
                          group);
    m_explainTitle->setDetail(
        about && m_document.explanation() ? text(m_document.explanation()->subject) : QString());
    if (about && state == State::Error)
        m_explain->overlay()->setError(u"No explanation"_s,
                                       text(m_document.error(Part::Explain).text()));
    else if (about && state == State::Busy)
        m_explain->overlay()->setBusy(u"Asking …"_s);
    else
        m_explain->overlay()->setReady();
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
    else
        m_stages->overlay()->setReady();
    m_stages->setText(state == State::Error ? nullptr : stage, title);
    m_stages->setSelected(m_selection.fused);
}

void MainWindow::showProblem(const Diag& diag) {
    m_log->add(text(diag.text()));
    if (diag.code == DiagCode::Cancelled)
        return;
    m_problems->model().add(diag);
    if (diag.severity == Severity::Error)
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
        counts = u"%1 ops"_s.arg(m_document.info()->nodes);
    if (m_document.plan())
        counts += u", %1 groups"_s.arg(m_document.plan()->groups.size());
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
    int errors = 0;
    int warnings = 0;
    for (const Diag& diag : m_problems->model().problems()) {
        errors += diag.severity == Severity::Error;
        warnings += diag.severity == Severity::Warning;
    }
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

bool MainWindow::idle() const {
    return m_document.idle() && !m_importedPane->busy() && !m_fusedPane->busy() &&
           !m_details.isActive();
}

void MainWindow::checkIdle() {
    // Told again when nothing changed: what was pending may have come and gone between two checks.
    const bool now = idle();
    if (std::exchange(m_wasIdle, now) != now || now)
        Q_EMIT idleChanged();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls[0].isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls[0].isLocalFile()) {
        event->acceptProposedAction();
        openModel(urls[0].toLocalFile());
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_memory == Memory::Remember)
        m_settings.setLayout(saveGeometry(), saveState(layoutVersion));
    event->accept();
}

} // namespace fw::ui
