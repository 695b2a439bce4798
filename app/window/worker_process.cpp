#include "app/window/worker_process.h"

#include "base/system_limit.h"
#include "snapshot/recovery.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::AnswerKind;

namespace {

// A worker that dies this soon after its start, this often in a row, is not started again by
// itself.
constexpr int quickDeathMs = 500;
constexpr int quickDeathLimit = 3;

} // namespace

WorkerProcess::WorkerProcess(QString program, QStringList leftOut, QObject* parent)
    : QObject(parent), m_program(std::move(program)), m_switchedOff(std::move(leftOut)) {
    m_grace.setSingleShot(true);
    m_grace.setInterval(3000);
    connect(&m_grace, &QTimer::timeout, this, [this] {
        if (m_process && !m_queue.empty() && m_queue.front().sent && m_queue.front().cancelled) {
            m_killedByUs = true;
            m_process->kill();
        }
    });
    m_restart.setSingleShot(true);
    m_restart.setInterval(0);
    connect(&m_restart, &QTimer::timeout, this, &WorkerProcess::startProcess);
    m_restart.start();
}

WorkerProcess::~WorkerProcess() {
    m_stopping = true;
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->closeWriteChannel(); // the worker ends at the end of its input
    if (!m_process->waitForFinished(300)) {
        m_process->kill();
        m_process->waitForFinished(1000);
    }
}

void WorkerProcess::request(snapshot::Request request, Handler handler) {
    Pending pending;
    pending.request = std::move(request);
    pending.handler = std::move(handler);
    m_queue.push_back(std::move(pending));
    if (m_state == State::Failed && !m_process) { // the user asked again: try again
        m_quickDeaths = 0;
        m_restart.start(0);
    }
    if (!m_process && !m_restart.isActive())
        m_restart.start(0);
    QMetaObject::invokeMethod(this, &WorkerProcess::sendNext, Qt::QueuedConnection);
}

bool WorkerProcess::isAskedFor(std::span<const std::string_view> commands) const {
    return std::any_of(m_queue.begin(), m_queue.end(), [&](const Pending& pending) {
        return !pending.cancelled && (pending.request.arguments.measure.value_or(false) ||
                                      std::find(commands.begin(), commands.end(),
                                                pending.request.command) != commands.end());
    });
}

void WorkerProcess::retire() {
    if (!m_process || !m_queue.empty())
        return;
    QProcess* old = m_process.release();
    old->disconnect(this);
    connect(old, &QProcess::finished, old, &QObject::deleteLater);
    old->closeWriteChannel(); // the worker ends at the end of its input
    updateState();
}

void WorkerProcess::cancel(std::int64_t id) {
    const auto found = std::find_if(m_queue.begin(), m_queue.end(),
                                    [&](const Pending& p) { return p.request.id == id; });
    if (found == m_queue.end() || found->cancelled)
        return;
    found->cancelled = true;
    if (found->sent) {
        if (m_process)
            m_process->write(QByteArray::fromStdString(snapshot::cancelLine(id)) + '\n');
        m_grace.start();
    } else {
        QMetaObject::invokeMethod(
            this, [this, id] { answer(id, makeDiag(DiagCode::Cancelled, "cancelled")); },
            Qt::QueuedConnection);
    }
}

void WorkerProcess::startProcess() {
    if (m_process || m_stopping)
        return;
    m_process = std::make_unique<QProcess>();
    m_line.clear();
    m_log.clear();
    m_killedByUs = false;
    m_answered = 0;
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &WorkerProcess::readOutput);
    connect(m_process.get(), &QProcess::readyReadStandardError, this, &WorkerProcess::readLog);
    connect(m_process.get(), &QProcess::started, this, [this] {
        updateState();
        sendNext();
    });
    connect(m_process.get(), &QProcess::finished, this, [this](int code, QProcess::ExitStatus how) {
        readOutput();
        readLog();
        const QString end =
            how == QProcess::CrashExit ? u"signal %1"_s.arg(code) : u"exit code %1"_s.arg(code);
        m_lastEnd = end.toStdString();
        processEnded(how == QProcess::CrashExit
                         ? u"it was killed by "_s + QString::fromStdString(signalText(code))
                         : u"it ended with "_s + end);
    });
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            QMetaObject::invokeMethod(
                this, [this] { processEnded(u"%1 could not be started"_s.arg(m_program)); },
                Qt::QueuedConnection);
    });
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& variable : m_switchedOff)
        environment.insert(variable, QString());
    m_process->setProcessEnvironment(environment);
    m_sinceStart.start();
    updateState();
    m_process->start(m_program, {u"--worker"_s});
}

void WorkerProcess::sendNext() {
    if (m_process && m_process->state() == QProcess::Running && !m_queue.empty() &&
        !m_queue.front().sent && !m_queue.front().cancelled) {
        m_queue.front().sent = true;
        m_lastProgress = {};
        m_process->write(QByteArray::fromStdString(snapshot::requestLine(m_queue.front().request)) +
                         '\n');
    }
    updateState();
}

void WorkerProcess::readOutput() {
    if (!m_process)
        return;
    const QByteArray read = m_process->readAllStandardOutput();
    std::string_view left(read.constData(), std::size_t(read.size()));
    for (std::size_t end; (end = left.find('\n')) != std::string_view::npos;) {
        addPiece(left.substr(0, end));
        left.remove_prefix(end + 1);
        if (!m_line.empty())
            handleLine(std::exchange(m_line, {}));
    }
    addPiece(left);
}

void WorkerProcess::addPiece(std::string_view piece) {
    if (!piece.empty())
        m_line.emplace_back(piece);
}

void WorkerProcess::readLog() {
    if (!m_process)
        return;
    m_log += m_process->readAllStandardError();
    qsizetype start = 0;
    for (qsizetype end = m_log.indexOf('\n'); end >= 0; end = m_log.indexOf('\n', start)) {
        Q_EMIT logged(QString::fromUtf8(m_log.mid(start, end - start)));
        start = end + 1;
    }
    m_log.remove(0, start);
}

void WorkerProcess::handleLine(snapshot::Pieces line) {
    if (const auto id = snapshot::takeResult(line)) {
        m_quickDeaths = 0;
        ++m_answered;
        return answer(*id, std::move(line));
    }
    std::string text;
    for (const std::string& piece : line)
        text += piece;
    auto read = snapshot::readAnswer(text);
    if (!read) {
        Q_EMIT logged(u"the worker wrote a line that is no answer: "_s +
                      QString::fromStdString(text.substr(0, 200)));
        return;
    }
    snapshot::Answer got = read.take();
    switch (got.kind) {
    case AnswerKind::Hello:
        m_version = QString::fromStdString(got.hello.version);
        break;
    case AnswerKind::Progress:
        if (!m_queue.empty() && m_queue.front().sent && m_queue.front().request.id == got.id) {
            m_lastProgress = got.progress;
            Q_EMIT progressed(got.id, got.progress);
        }
        break;
    case AnswerKind::Result:
        m_quickDeaths = 0;
        ++m_answered;
        answer(got.id, snapshot::Pieces{std::move(got.result)});
        break;
    case AnswerKind::Error:
        m_quickDeaths = 0;
        if (!m_queue.empty() && m_queue.front().request.id == got.id &&
            !m_queue.front().cancelled && snapshot::needsFreshWorker(got.error, m_answered)) {
            replaceProcess();
            break;
        }
        ++m_answered;
        answer(got.id, std::move(got.error));
        break;
    }
}

void WorkerProcess::answer(std::int64_t id, Result<snapshot::Pieces> result) {
    const auto found = std::find_if(m_queue.begin(), m_queue.end(),
                                    [&](const Pending& p) { return p.request.id == id; });
    if (found == m_queue.end())
        return; // answered before, for instance by the death of the worker
    Handler handler = std::move(found->handler);
    if (found->sent)
        m_grace.stop();
    m_queue.erase(found);
    sendNext();
    if (handler)
        handler(std::move(result));
    Q_EMIT finished(id);
}

void WorkerProcess::replaceProcess() {
    QProcess* old = m_process.release(); // we are inside its signal
    old->disconnect(this);
    connect(old, &QProcess::finished, old, &QObject::deleteLater);
    old->kill();
    m_queue.front().sent = false;
    m_restart.start(0);
    updateState();
}

void WorkerProcess::processEnded(const QString& how) {
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process.release()->deleteLater(); // we may be inside its signal
    m_grace.stop();

    const bool atWork = !m_queue.empty() && m_queue.front().sent;
    m_diedIn = atWork ? m_queue.front().request.id : 0;
    Diag diag;
    if (m_killedByUs) {
        diag = makeDiag(DiagCode::Cancelled, "the worker did not answer to Stop and was restarted");
    } else {
        QString message = u"the worker process died"_s;
        Where where;
        if (atWork) {
            const auto& work = m_queue.front().request;
            message += u" during %1"_s.arg(QString::fromStdString(work.command));
            if (!m_lastProgress.stage.empty())
                message += u", stage %1"_s.arg(QString::fromStdString(m_lastProgress.stage));
            where.file = work.arguments.model;
            // Reading and running are about the whole model, which is named already.
            if (!m_lastProgress.text.empty() && m_lastProgress.text != where.file) {
                message += u" of %1"_s.arg(QString::fromStdString(m_lastProgress.text));
                if (!snapshot::variableAfterDeath(m_lastProgress))
                    where.node = m_lastProgress.text;
            }
        }
        message += u": "_s + how;
        diag = makeDiag(DiagCode::WorkerDied, message.toStdString(), where,
                        "it was started again; the document is unchanged");
    }

    if (const auto variable = snapshot::variableAfterDeath(m_lastProgress);
        atWork && !m_killedByUs && variable &&
        !m_switchedOff.contains(QString::fromStdString(*variable))) {
        m_switchedOff << QString::fromStdString(*variable);
        diag.severity = Severity::Warning;
        diag.hint =
            "it is not opened again; the variable " + *variable + "= leaves it out from the start";
        m_queue.front().sent = false;
        m_restart.start(0);
        Q_EMIT died(diag);
        updateState();
        return;
    }

    const bool quick = !m_killedByUs && m_sinceStart.elapsed() < quickDeathMs;
    m_quickDeaths = quick ? m_quickDeaths + 1 : 0;
    if (m_quickDeaths >= quickDeathLimit) {
        diag.hint = "it died " + std::to_string(m_quickDeaths) +
                    " times in a row and is started again by the next request";
        setState(State::Failed);
    } else {
        m_restart.start(quick ? 50 * m_quickDeaths : 0);
    }

    if (!atWork)
        m_lastProgress = {};
    std::deque<Pending> lost = std::move(m_queue);
    m_queue.clear();
    if (m_killedByUs) { // what nobody stopped waits for the new process
        const auto stopped = std::stable_partition(
            lost.begin(), lost.end(), [](const Pending& pending) { return pending.cancelled; });
        std::move(stopped, lost.end(), std::back_inserter(m_queue));
        lost.erase(stopped, lost.end());
    }
    for (Pending& pending : lost) {
        if (pending.handler)
            pending.handler(pending.cancelled ? Diag(makeDiag(DiagCode::Cancelled, "cancelled"))
                                              : diag);
        Q_EMIT finished(pending.request.id);
    }
    Q_EMIT died(diag);
    updateState();
}

void WorkerProcess::setState(State state) {
    if (m_state == state)
        return;
    m_state = state;
    Q_EMIT stateChanged();
}

void WorkerProcess::updateState() {
    if (!m_process && m_quickDeaths >= quickDeathLimit && !m_restart.isActive())
        setState(State::Failed);
    else if (!m_process || m_process->state() != QProcess::Running)
        setState(State::Starting);
    else
        setState(m_queue.empty() ? State::Idle : State::Busy);
}

} // namespace fw::ui
