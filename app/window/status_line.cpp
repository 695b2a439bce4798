#include "app/window/status_line.h"

#include "views/common/elided_label.h"
#include "views/common/numbers.h"
#include "views/common/text.h"

#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

StatusLine::StatusLine(QStatusBar* bar, Document& document, const WorkerClient& worker,
                       const Selection& selection)
    : m_bar(bar), m_document(document), m_worker(worker), m_selection(selection),
      m_file(label(u"statusFile"_s)), m_counts(label(u"statusCounts"_s)),
      m_selected(label(u"statusSelection"_s)), m_note(new ElidedLabel(bar)),
      m_task(label(u"statusTask"_s)), m_target(label(u"statusTarget"_s)),
      m_workerState(label(u"statusWorker"_s)), m_progress(new QProgressBar(bar)),
      m_cancel(new QToolButton(bar)) {
    bar->setSizeGripEnabled(false);
    m_note->setObjectName(u"statusNote"_s);
    m_progress->setFixedWidth(120);
    m_progress->setTextVisible(false);
    m_cancel->setText(u"✕"_s);
    m_cancel->setAutoRaise(true);
    m_cancel->setToolTip(u"Stop"_s);
    m_cancel->setAccessibleName(u"Stop the running task"_s);
    connect(m_cancel, &QToolButton::clicked, this, &StatusLine::stopWanted);
    for (QLabel* left : {m_file, m_counts, m_selected})
        bar->addWidget(left);
    bar->addWidget(m_note, 1);
    for (QWidget* right :
         std::initializer_list<QWidget*>{m_task, m_progress, m_cancel, m_target, m_workerState})
        bar->addPermanentWidget(right);
}

QLabel* StatusLine::label(const QString& name) {
    auto* out = new QLabel(m_bar);
    out->setTextFormat(Qt::PlainText);
    out->setObjectName(name);
    return out;
}

void StatusLine::setText(const QObject* of, Place place, const QString& text) {
    QLabel*& shown = m_others[of];
    if (!shown) {
        shown = label();
        if (place == Place::Right) // before the worker's
            m_bar->insertPermanentWidget(m_items - 1, shown);
        else // behind what is selected
            m_bar->insertWidget(3, shown);
        ++m_items;
    }
    shown->setText(text);
}

void StatusLine::showProgress(const snapshot::Progress& progress) {
    QString said = text(progress.stage);
    if (progress.total > 0)
        said += u" %1 of %2"_s.arg(progress.done).arg(progress.total);
    if (!progress.text.empty())
        said += u": "_s + text(progress.text);
    m_task->setText(m_bar->fontMetrics().elidedText(said, Qt::ElideMiddle, 320));
    m_task->setToolTip(said);
    m_progress->setRange(0, int(std::min<std::int64_t>(progress.total, 1 << 30)));
    m_progress->setValue(int(std::min<std::int64_t>(progress.done, 1 << 30)));
}

void StatusLine::say(const QString& text) {
    m_note->setFullText(text); // cut where there is no more room, and whole in its tip
    QTimer::singleShot(8000, m_note, [this, text] {
        if (m_note->fullText() == text)
            m_note->setFullText({});
    });
}

void StatusLine::update() {
    m_file->setText(m_document.isOpen() ? m_document.fileName() : u"no model"_s);
    QString counts;
    if (m_document.info())
        counts = countOf(m_document.info()->nodes, u"op"_s);
    if (m_document.plan())
        counts += u", "_s + countOf(std::int64_t(m_document.plan()->groups.size()), u"group"_s);
    m_counts->setText(counts);
    const std::size_t selected = m_selection.count();
    m_selected->setText(selected ? u"%1 selected"_s.arg(selected) : QString());
    m_target->setText(m_document.plan()     ? text(m_document.plan()->target)
                      : m_document.doctor() ? text(m_document.doctor()->cpu.target)
                                            : QString());
    showWorker();
}

void StatusLine::showWorker() {
    const bool busy = m_worker.state() == WorkerClient::State::Busy;
    switch (m_worker.state()) {
    case WorkerClient::State::Starting:
        m_workerState->setText(u"worker starts"_s);
        break;
    case WorkerClient::State::Idle:
        m_workerState->setText(u"idle"_s);
        break;
    case WorkerClient::State::Busy:
        m_workerState->setText(u"working"_s);
        break;
    case WorkerClient::State::Failed:
        m_workerState->setText(u"worker failed"_s);
        break;
    }
    m_task->setVisible(busy);
    m_progress->setVisible(busy);
    m_cancel->setVisible(busy);
    if (!busy) {
        m_task->clear();
        m_progress->setRange(0, 0);
    }
}

} // namespace fw::ui
