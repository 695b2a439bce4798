#include "app/lsp/questions.h"

#include "base/system_limit.h"
#include "snapshot/protocol.h"

#include <chrono>
#include <utility>

namespace fw::lsp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int askAgain = 20;                       // ms: how late a cancel is seen
constexpr auto patience = std::chrono::seconds(2); // with a worker that was told to stop

} // namespace

Result<std::string> Worker::askText(const std::string& command,
                                    const snapshot::Arguments& arguments,
                                    const CancelToken& cancel) {
    const Diag cancelled = makeDiag(DiagCode::Cancelled, "the question was cancelled");
    if (cancel.cancelled())
        return cancelled;
    if (!m_connection) {
        FW_TRY(m_connection, Connection::open({"/proc/self/exe", "--worker"}));
    }
    snapshot::Request request;
    request.id = ++m_lastId;
    request.command = command;
    request.arguments = arguments;
    if (!m_connection->send(snapshot::requestLine(request), cancel)) {
        m_connection.reset();
        return cancelled;
    }
    std::optional<Clock::time_point> told; // to stop
    for (std::string line;;) {
        if (!told && cancel.cancelled()) {
            told = Clock::now();
            m_connection->send(snapshot::cancelLine(request.id), cancel);
        }
        const Connection::Got got = m_connection->read(line, askAgain);
        if (got == Connection::Got::End) {
            const std::string how = m_connection->howItEnded();
            m_connection.reset();
            return makeDiag(DiagCode::WorkerDied, "the worker ended: " + how);
        }
        if (got == Connection::Got::Nothing) {
            if (told && Clock::now() - *told > patience) {
                m_connection.reset();
                return cancelled;
            }
            continue;
        }
        FW_TRY(snapshot::Answer answer, snapshot::readAnswer(line));
        if (answer.id != request.id)
            continue; // its greeting
        if (answer.kind == snapshot::AnswerKind::Result)
            return std::move(answer.result);
        if (answer.kind == snapshot::AnswerKind::Error)
            return std::move(answer.error);
    }
}

Questions::Questions() : m_thread([this] { work(); }) {}

Questions::~Questions() {
    {
        const std::lock_guard lock(m_mutex);
        m_isEnded = true;
        m_current.cancel();
    }
    m_changed.notify_all();
    m_thread.join();
}

void Questions::ask(const CancelToken& cancel, Job job) {
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back({cancel, std::move(job)});
    }
    m_changed.notify_all();
}

void Questions::work() {
    for (;;) {
        Asked next;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_isEnded || !m_jobs.empty(); });
            if (m_isEnded)
                return;
            next = std::move(m_jobs.front());
            m_jobs.pop_front();
            m_current = next.cancel;
        }
        if (!next.cancel.cancelled())
            next.job(m_worker);
    }
}

} // namespace fw::lsp
