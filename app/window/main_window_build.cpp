// Widgets, docks and connections.
#include "app/window/books_area.h"
#include "app/window/graph_pane.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/palette.h"
#include "app/window/problems_view.h"
#include "app/window/welcome_view.h"
#include "views/authoring/match_panel.h"
#include "views/authoring/rules_view.h"
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
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

void MainWindow::buildCentre() {
    m_message = new MessageBar;
    m_offer = new MessageBar;
    m_offer->setObjectName(u"noteBar"_s); // nothing went wrong here
    m_welcome = new WelcomeView;
    m_importedPane = new GraphPane(u"Imported"_s);
    m_fusedPane = new GraphPane(u"Fused"_s);
    auto* panes = new QSplitter(Qt::Horizontal);
    panes->setObjectName(u"graphs"_s);
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
    layout->addWidget(m_offer);
    m_books = new BooksArea(m_memory == Memory::Remember ? std::make_unique<Drafts>() : nullptr);
    m_matches = new MatchPanel;
    m_matches->hide();
    m_books->setBelow(m_matches);
    m_books->hide();
    auto* work = new QSplitter(Qt::Horizontal);
    work->setObjectName(u"work"_s);
    work->setChildrenCollapsible(false);
    work->addWidget(m_books);
    work->addWidget(m_centre);
    work->setStretchFactor(0, 5);
    work->setStretchFactor(1, 6);
    work->setSizes({500, 600});
    layout->addWidget(work, 1);
    setCentralWidget(all);
    m_palette = new Palette(this);
}

MainWindow::Dock& MainWindow::addDock(const QString& name, const QString& title, QWidget* view,
                                      Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(view);
    addDockWidget(area, dock);
    m_docks.push_back({dock, nullptr, area});
    // Tabs name the docks below; a title bar would say it twice.
    if (area == Qt::BottomDockWidgetArea)
        dock->setTitleBarWidget(new QWidget(dock));
    else
        m_docks.back().header = PaneHeader::install(dock);
    return m_docks.back();
}

void MainWindow::buildDocks() {
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    m_outline = new OutlineView;
    m_rules = new RulesView;
    m_explain = new ExplainView;
    m_implementations = new ImplementationsView;
    m_properties = new PropertiesView;
    m_profile = new ProfileView;
    m_changes = new ChangesView;
    m_stages = new StagesView;
    m_problems = new ProblemsView;
    m_log = new LogView;
    const auto left = Qt::LeftDockWidgetArea;
    const auto right = Qt::RightDockWidgetArea;
    const auto below = Qt::BottomDockWidgetArea;
    m_outlineTitle = addDock(u"outline"_s, u"Outline"_s, m_outline, left).header;
    m_explainTitle = addDock(u"explain"_s, u"Explain"_s, m_explain, right).header;
    m_implementationsTitle =
        addDock(u"implementationsDock"_s, u"Implementations"_s, m_implementations, right).header;
    m_propertiesTitle = addDock(u"properties"_s, u"Properties"_s, m_properties, right).header;
    addDock(u"opTimesDock"_s, u"Op times"_s, m_profile, below);
    m_changesDock = addDock(u"changesDock"_s, u"Changes"_s, m_changes, below).widget;
    m_stagesDock = addDock(u"stages"_s, u"Stages"_s, m_stages, below).widget;
    addDock(u"problems"_s, u"Problems"_s, m_problems, below);
    addDock(u"log"_s, u"Log"_s, m_log, below);
    m_rulesTitle = addDock(u"rulesDock"_s, u"Rules"_s, m_rules, left).header;
}

void MainWindow::defaultLayout() {
    QList<QDockWidget*> below;
    for (const Dock& dock : m_docks) {
        dock.widget->setFloating(false);
        dock.widget->show();
        addDockWidget(dock.area, dock.widget);
        if (dock.area == Qt::BottomDockWidgetArea) {
            if (!below.isEmpty())
                tabifyDockWidget(below.front(), dock.widget);
            below << dock.widget;
        }
    }
    below.front()->raise();
    const auto dock = [this](const char* name) {
        return findChild<QDockWidget*>(QString::fromLatin1(name));
    };
    resizeDocks({dock("outline"), dock("explain")}, {260, 470}, Qt::Horizontal);
    resizeDocks({dock("outline"), dock("rulesDock")}, {520, 200}, Qt::Vertical);
    resizeDocks({dock("explain"), dock("implementationsDock"), dock("properties")}, {300, 270, 240},
                Qt::Vertical);
    resizeDocks({below.front()}, {230}, Qt::Vertical);
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
    connect(&m_document, &Document::inputsChanged, this, &MainWindow::inputsChanged);
    connect(&m_document, &Document::changesChanged, this, &MainWindow::showChanges);
    connect(&m_document, &Document::verifiedChanged, this, &MainWindow::showVerified);
    connect(&m_document, &Document::rulesChanged, this, &MainWindow::showRules);
    connect(&m_document, &Document::rulesChanged, this, &MainWindow::showTextProblems);
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
        connect(pane->canvas(), &GraphCanvas::menuRequested, this,
                [this](std::int64_t, const QPoint& at) {
                    if (m_document.isOpen())
                        m_nodeMenu->popup(at);
                });
        connect(pane->canvas(), &GraphCanvas::scaleChanged, this, &MainWindow::updateStatus);
        connect(pane->canvas(), &GraphCanvas::selectionChanged, this,
                [this, imported, pane](const std::vector<std::int64_t>& ids) {
                    snapshot::NodeSet nodes(ids.begin(), ids.end());
                    std::erase_if(nodes, [](std::int64_t id) { return id < 0; });
                    setSelection(imported ? fromImported(nodes) : fromFused(nodes), pane->canvas());
                    if (nodes.size() == 1)
                        followNode(*nodes.begin(),
                                   imported ? GraphSide::Imported : GraphSide::Fused);
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
                                  m_profile->overlay(), m_explain->overlay(), m_stages->overlay(),
                                  m_implementations->overlay(), m_rules->overlay()})
        connect(overlay, &StateOverlay::cancelRequested, &m_document, &Document::stop);
    connect(m_stages, &StagesView::nodesActivated, this,
            [this](const std::vector<std::int64_t>& ids) {
                setSelection(fromFused({ids.begin(), ids.end()}), m_stages);
            });
    connect(m_stages, &StagesView::stageChanged, &m_details, qOverload<>(&QTimer::start));
    connect(m_stagesDock, &QDockWidget::visibilityChanged, this, [this](bool shown) {
        if (shown)
            m_details.start();
    });
    connect(m_problems, &ProblemsView::nodeActivated, this, &MainWindow::selectByName);
    connect(m_problems, &ProblemsView::placeActivated, this, &MainWindow::editBook);
    connect(m_changes, &ChangesView::activated, this, [this](const std::vector<std::int64_t>& ids) {
        setSelection(fromFused({ids.begin(), ids.end()}), m_changes);
    });
    connect(m_implementations, &ImplementationsView::activated, this,
            [this](int group) { setSelection(fromGroup(group), m_implementations); });
    connect(m_implementations, &ImplementationsView::pinRequested, this,
            [this](int group, const QString& implementation) {
                pinGroup(group, snapshot::PinKind::Use, implementation);
            });
    connect(m_implementations, &ImplementationsView::avoidRequested, this,
            [this](int group, const QString& implementation) {
                pinGroup(group, snapshot::PinKind::Avoid, implementation);
            });
    connect(m_implementations, &ImplementationsView::unpinRequested, this, &MainWindow::unpinGroup);
    connect(m_explain, &ExplainView::whatIfRequested, this, &MainWindow::tryChange);
    connect(m_explain, &ExplainView::togetherRequested, this,
            [this] { pinSelection(snapshot::PinKind::Together); });
    connect(m_explain, &ExplainView::apartRequested, this,
            [this] { pinSelection(snapshot::PinKind::Apart); });
    connect(m_properties, &PropertiesView::valueRequested, this, &MainWindow::askForValue);
    connect(m_rules, &RulesView::openRequested, this, &MainWindow::openBookDialog);
    connect(m_rules, &RulesView::closeRequested, this, [this](const QString& path) {
        m_document.edit(snapshot::RemoveBook{path.toStdString()});
    });
    connect(m_rules, &RulesView::bookSwitched, this, [this](const QString& path, bool on) {
        m_document.edit(snapshot::SwitchBook{path.toStdString(),
                                             on ? snapshot::Enabled::Yes : snapshot::Enabled::No});
    });
    connect(m_rules, &RulesView::bookMoved, this, [this](const QString& path, int to) {
        m_document.edit(snapshot::MoveBook{path.toStdString(), std::size_t(to)});
    });
    connect(m_rules, &RulesView::activated, this, [this](const QList<qint64>& ids, bool rewritten) {
        const snapshot::NodeSet nodes(ids.begin(), ids.end());
        setSelection(rewritten ? fromFused(nodes) : fromImported(nodes), nullptr);
    });
}

} // namespace fw::ui
