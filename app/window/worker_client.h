// The window's workers: `fw --worker` as a child process, because a bad file or kernel may kill it,
// and a second one while the first is at something long.
//
// Everything goes to the first worker (worker_process.h says how it is asked, stopped and started
// again). While that compiles, measures or writes a module, what only asks about the model or a
// text is answered by a second one, which is started when it is needed first and ends after a rest.
// What is compared with the document under another target, or with other books, is asked there,
// too. Requests name all that they are about, unsaved texts included, so the second is told nothing
// beforehand. What is lost with the second worker is asked once more, so that a death costs nothing
// but the message about it. Lives in the GUI thread; never blocks it.
#pragma once

#include "app/window/worker_process.h"

#include <map>
#include <optional>

namespace fw::ui {

class WorkerClient : public QObject {
    Q_OBJECT

public:
    using State = WorkerProcess::State;
    using Handler = WorkerProcess::Handler;

    explicit WorkerClient(QString program, QObject* parent = nullptr);
    ~WorkerClient() override;

    // FW_WORKER if it is set, else `fw` beside the running program.
    static QString defaultProgram();

    // Second: about another model, target or books, for which the first would drop what it keeps.
    enum class By : std::uint8_t { First, Second };
    std::int64_t request(const std::string& command, const snapshot::Arguments& arguments,
                         Handler handler, By by = By::First);
    void cancel(std::int64_t id);

    // Of the first worker.
    State state() const { return m_first.state(); }
    qint64 processId() const { return m_first.processId(); }
    const QString& version() const { return m_first.version(); }
    std::string atWork() const { return m_first.atWork(); } // the command; empty: none
    qint64 secondProcessId() const { return m_second ? m_second->processId() : 0; }
    int pending() const { return m_first.pending() + (m_second ? m_second->pending() : 0); }
    // Of the worker that died last, before that of the first: what it said last, and its end.
    const snapshot::Progress& lastProgress() const { return spoke().lastProgress(); }
    const std::string& lastEnd() const { return spoke().lastEnd(); }
    void setCancelGrace(int milliseconds);
    void setRest(int milliseconds) { m_rest.setInterval(milliseconds); }

Q_SIGNALS:
    void stateChanged();
    void progressed(qint64 id, const fw::snapshot::Progress& progress); // of the first worker
    void died(const fw::Diag& diag);  // already told to the handlers that get no other answer
    void logged(const QString& line); // standard error of the workers
    void finished(qint64 id);         // after the handler

private:
    struct Asked {
        snapshot::Request request;
        Handler handler;
        int lives = 3; // a death while it waits takes one, a death in it two
        bool cancelled = false;
    };

    WorkerProcess& second();
    void askSecond(std::int64_t id);
    void secondAnswered(std::int64_t id, Result<snapshot::Pieces> answer);
    void secondDied(Diag diag);
    const WorkerProcess& spoke() const { return m_secondDied ? *m_second : m_first; }

    QString m_program;
    WorkerProcess m_first;
    std::unique_ptr<WorkerProcess> m_second;
    std::map<std::int64_t, Asked> m_asked; // of the second
    QTimer m_rest;                         // of the second
    bool m_secondDied = false;             // last, of the two
    std::optional<int> m_grace;
    std::int64_t m_nextId = 1;
};

} // namespace fw::ui
