// What is no view: the middle's frame, the status bar, and what is told by document and worker.
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/palette.h"
#include "app/window/welcome_view.h"
#include "views/common/numbers.h"
#include "views/common/text.h"

#include <QLabel>
#include <QProgressBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {} // namespace

void MainWindow::buildCentre() {
    m_message = new MessageBar;
    m_offer = new MessageBar;
    m_offer->setObjectName(u"noteBar"_s); // nothing went wrong here
    m_welcome = new WelcomeView;
    m_welcome->setSamples(shippedSamples());
    connect(m_welcome, &WelcomeView::openRequested, this, &MainWindow::openDialog);
    connect(m_welcome, &WelcomeView::modelRequested, this, &MainWindow::openModel);
    m_centre = new QStackedWidget;
    m_centre->addWidget(m_welcome);
    m_work = new QSplitter(Qt::Horizontal);
    m_work->setObjectName(u"work"_s);
    m_work->setChildrenCollapsible(false);
    m_work->addWidget(m_centre);
    auto* all = new QWidget;
    auto* layout = new QVBoxLayout(all);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_message);
    layout->addWidget(m_offer);
    layout->addWidget(m_work, 1);
    setCentralWidget(all);
    m_palette = new Palette(this);
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
    m_statusNote = label(u"statusNote"_s);
    m_statusTask = label(u"statusTask"_s);
    m_statusTarget = label(u"statusTarget"_s);
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
    for (QLabel* left : {m_statusFile, m_statusCounts, m_statusSelection})
        bar->addWidget(left);
    bar->addWidget(m_statusNote, 1);
    bar->addPermanentWidget(m_statusTask);
    bar->addPermanentWidget(m_progress);
    bar->addPermanentWidget(m_cancel);
    bar->addPermanentWidget(m_statusTarget);
    bar->addPermanentWidget(m_statusWorker);
    m_statusItems = 9;
}

void MainWindow::connectDocument() {
    connect(&m_document, &Document::modelChanged, this, &MainWindow::modelChanged);
    connect(&m_document, &Document::fileChanged, this, &MainWindow::showFile);
    connect(&m_document, &Document::changed, this, &MainWindow::documentChanged);
    connect(&m_document, &Document::problem, this, &MainWindow::showProblem);
    connect(&m_document, &Document::note, this, [this](const QString& line) {
        log(line);
        say(line);
    });
    connect(&m_document.tasks(), &Tasks::changed, this, &MainWindow::updateActions);
    connect(&m_document, &Document::idleChanged, this, [this] {
        m_idleCheck.start();
        updateActions();
    });
    connect(&m_worker, &WorkerClient::stateChanged, this, &MainWindow::updateStatus);
    connect(&m_worker, &WorkerClient::progressed, this,
            [this](qint64, const snapshot::Progress& progress) { showProgress(progress); });
    connect(&m_worker, &WorkerClient::logged, this, &MainWindow::log);
}

void MainWindow::showProblem(const Diag& diag) {
    log(text(diag.text()));
    if (diag.code == DiagCode::Cancelled)
        return;
    for (const ShownView& shown : m_views)
        shown.view->problemAppeared(diag);
    if (diag.severity == Severity::Error || diag.code == DiagCode::WorkerDied)
        m_message->tell(text(diag.text()));
    updateStatus();
}

void MainWindow::showProgress(const snapshot::Progress& progress) {
    QString said = text(progress.stage);
    if (progress.total > 0)
        said += u" %1 of %2"_s.arg(progress.done).arg(progress.total);
    if (!progress.text.empty())
        said += u": "_s + text(progress.text);
    m_statusTask->setText(fontMetrics().elidedText(said, Qt::ElideMiddle, 320));
    m_statusTask->setToolTip(said);
    m_progress->setRange(0, int(std::min<std::int64_t>(progress.total, 1 << 30)));
    m_progress->setValue(int(std::min<std::int64_t>(progress.done, 1 << 30)));
}

void MainWindow::log(const QString& line) {
    for (const ShownView& shown : m_views)
        shown.view->lineLogged(line);
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
    const std::size_t selected =
        std::max(m_selection.picked().imported.size(), m_selection.picked().fused.size());
    m_statusSelection->setText(selected ? u"%1 selected"_s.arg(selected) : QString());
    QString target;
    if (m_document.plan())
        target = text(m_document.plan()->target);
    else if (m_document.doctor())
        target = text(m_document.doctor()->cpu.target);
    m_statusTarget->setText(target);
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
