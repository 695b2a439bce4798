// The window's end of one `fw --worker` (core/snapshot/protocol.h).
//
// Requests are queued and one is kept in flight, so that the request that was at work when the
// worker died is known. On death every pending request fails with WorkerDied, naming what the last
// progress named, and a new worker is started at once. There are no time limits; a worker that does
// not answer to cancel within a grace period is killed and started again. If a library died while
// it was opened, the next worker leaves it out and gets the requests once more; a request that
// needs a fresh worker gets one (core/snapshot/recovery.h). Lives in the GUI thread; never blocks
// it.
#pragma once

#include "snapshot/protocol.h"

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace fw::ui {

class WorkerProcess : public QObject {
    Q_OBJECT

public:
    enum class State { Starting, Idle, Busy, Failed };

    // Exactly one call per request: JSON text of the document, or why there is none. Called from
    // the event loop, never from inside request().
    using Handler = std::function<void(Result<snapshot::Pieces>)>;

    // `leftOut`: variables of libraries that are not to be opened.
    explicit WorkerProcess(QString program, QStringList leftOut = {}, QObject* parent = nullptr);
    ~WorkerProcess() override;

    void request(snapshot::Request request, Handler handler);
    void cancel(std::int64_t id); // of one that is not pending here: nothing
    void retire();                // when nothing is pending: the process ends, the next request
                                  // starts another

    State state() const { return m_state; }
    qint64 processId() const { return m_process ? m_process->processId() : 0; }
    int pending() const { return int(m_queue.size()); }
    // Whether one of those that are pending is such a command, or measures.
    bool isAskedFor(std::span<const std::string_view> commands) const;
    std::int64_t diedIn() const { return m_diedIn; } // the request at the last death; 0: none
    const QStringList& leftOut() const { return m_switchedOff; }
    // Of the request at work: what the worker said last. After a death that was its last word.
    // That it was sent and has not answered; empty: none.
    std::string atWork() const {
        return m_queue.empty() || !m_queue.front().sent ? "" : m_queue.front().request.command;
    }
    const snapshot::Progress& lastProgress() const { return m_lastProgress; }
    const std::string& lastEnd() const { return m_lastEnd; } // "signal 11"
    const QString& version() const { return m_version; }
    void setCancelGrace(int milliseconds) { m_grace.setInterval(milliseconds); }

Q_SIGNALS:
    void stateChanged();
    void progressed(qint64 id, const fw::snapshot::Progress& progress);
    void died(const fw::Diag& diag);  // already told to the handlers
    void logged(const QString& line); // standard error of the worker
    void finished(qint64 id);         // after the handler

private:
    struct Pending {
        snapshot::Request request;
        Handler handler;
        bool sent = false;
        bool cancelled = false;
    };

    void startProcess();
    void sendNext();
    void readOutput();
    void readLog();
    void addPiece(std::string_view piece);
    void handleLine(snapshot::Pieces line);
    void answer(std::int64_t id, Result<snapshot::Pieces> result);
    void processEnded(const QString& how);
    void replaceProcess(); // the request at work is asked again
    void setState(State state);
    void updateState();

    QString m_program;
    std::unique_ptr<QProcess> m_process;
    snapshot::Pieces m_line; // up to its end, which is still to come
    QByteArray m_log;
    std::deque<Pending> m_queue; // the first one is in flight if it is sent
    snapshot::Progress m_lastProgress;
    std::string m_lastEnd;
    QStringList m_switchedOff; // variables of libraries that died when they were opened
    QElapsedTimer m_sinceStart;
    QTimer m_grace;
    QTimer m_restart;
    QString m_version;
    State m_state = State::Starting;
    std::int64_t m_diedIn = 0;
    std::int64_t m_answered = 0; // by this process
    int m_quickDeaths = 0;
    bool m_stopping = false;
    bool m_killedByUs = false;
};

} // namespace fw::ui
