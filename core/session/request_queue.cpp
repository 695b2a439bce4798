#include "session/request_queue.h"

#include "base/system_limit.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t longestLine = 64u << 20;

} // namespace

RequestQueue::~RequestQueue() {
    if (m_reader.joinable())
        m_reader.join();
}

Status RequestQueue::start() {
    try {
        m_reader = std::thread([this] { read(); });
    } catch (const std::system_error& refused) {
        return systemLimitDiag("the worker has no thread to read with", refused.code().value());
    }
    return {};
}

void RequestQueue::read() {
    char buffer[65536];
    for (;;) {
        const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        for (std::string_view rest(buffer, static_cast<std::size_t>(count)); !rest.empty();) {
            const std::size_t end = rest.find('\n');
            take(rest.substr(0, end));
            if (end == std::string_view::npos)
                break;
            endLine();
            rest.remove_prefix(end + 1);
        }
    }
    std::lock_guard lock(m_mutex);
    m_ended = true;
    if (m_current)
        m_current->cancel.cancel();
    m_changed.notify_all();
}

// A line that is too long is answered and passed over.
void RequestQueue::take(std::string_view piece) {
    if (m_tooLong || m_line.size() + piece.size() <= longestLine) {
        if (!m_tooLong)
            m_line += piece;
        return;
    }
    m_tooLong = true;
    m_line = {};
    m_answer(errorLine(0, makeDiag(DiagCode::LimitReached,
                                   fmt::format("a request has more than {} bytes", longestLine), {},
                                   "texts that are larger are read from files")));
}

void RequestQueue::endLine() {
    if (!std::exchange(m_tooLong, false))
        accept(m_line);
    m_line.clear();
}

void RequestQueue::accept(std::string_view line) {
    if (line.empty())
        return;
    Result<Command> command = readCommand(line);
    if (!command) {
        m_answer(errorLine(0, command.diag()));
        return;
    }
    std::lock_guard lock(m_mutex);
    if (command->cancel) {
        if (m_current && m_current->request.id == *command->cancel)
            m_current->cancel.cancel();
        for (Job& job : m_jobs)
            if (job.request.id == *command->cancel)
                job.cancel.cancel();
    } else if (command->request) {
        m_jobs.push_back({std::move(*command->request), CancelToken()});
        m_changed.notify_all();
    }
}

std::optional<RequestQueue::Job> RequestQueue::next() {
    std::unique_lock lock(m_mutex);
    m_current.reset();
    m_changed.wait(lock, [this] { return m_ended || !m_jobs.empty(); });
    if (m_ended)
        return std::nullopt;
    m_current = std::move(m_jobs.front());
    m_jobs.pop_front();
    return m_current;
}

} // namespace fw
