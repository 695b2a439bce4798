#include "client.h"

#include "base/system_limit.h"
#include "session/remote.h"
#include "session/worker.h"
#include "snapshot/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fw::cli {

namespace {

bool isFault(int status) {
    constexpr int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGTRAP};
    return WIFSIGNALED(status) &&
           std::find(std::begin(faults), std::end(faults), WTERMSIG(status)) != std::end(faults);
}

std::string howItEnded(int status) {
    if (WIFSIGNALED(status))
        return signalText(WTERMSIG(status));
    return fmt::format("exit code {}", WEXITSTATUS(status));
}

// The error of the system if it refuses as many threads as a worker has, of which libgomp's are
// those that end the process where there are no more. They end at once.
int threadsRefused() {
    constexpr unsigned own = 3; // the worker's first one, its reader, and what a library adds
    const unsigned count = own + std::max(2u, std::thread::hardware_concurrency());
    std::vector<pthread_t> threads;
    std::atomic<bool> end = false;
    const auto wait = [](void* given) -> void* {
        while (!*static_cast<std::atomic<bool>*>(given))
            ::usleep(1000);
        return nullptr;
    };
    int error = 0;
    for (unsigned i = 0; i < count && error == 0; ++i) {
        pthread_t thread{};
        error = ::pthread_create(&thread, nullptr, wait, &end);
        if (error == 0)
            threads.push_back(thread);
    }
    end = true;
    for (const pthread_t thread : threads)
        ::pthread_join(thread, nullptr);
    return error;
}

} // namespace

Client::~Client() {
    stop();
}

Status Client::start() {
    if (m_child > 0)
        return {};
    std::signal(SIGPIPE, SIG_IGN);
    int request[2], answer[2];
    if (::pipe2(request, O_CLOEXEC) != 0)
        return systemLimitDiag("the worker cannot be started", errno);
    if (::pipe2(answer, O_CLOEXEC) != 0) {
        const int error = errno;
        ::close(request[0]);
        ::close(request[1]);
        return systemLimitDiag("the worker cannot be started", error);
    }
    // A fork goes on in the image that is loaded, relocated and has no thread but this one; a new
    // program would load LLVM a second time.
    std::fflush(nullptr); // else what waits to be written is written by both
    std::optional<Making> making(std::in_place);
    m_child = ::fork();
    if (m_child == 0) {
        making.reset();
        if (::dup2(request[0], STDIN_FILENO) < 0 || ::dup2(answer[1], STDOUT_FILENO) < 0)
            ::_exit(3);
        // A pipe to another worker, held here, would keep that one from seeing its end.
        ::close_range(STDERR_FILENO + 1, ~0U, 0);
        std::exit(m_worker.empty() ? runWorker() : runRemoteWorker(m_worker));
    }
    const int error = m_child < 0 ? errno : 0;
    if (error == 0)
        m_running.emplace(Leftover::Kind::Worker, m_child);
    making.reset();
    ::close(request[0]);
    ::close(answer[1]);
    m_to = request[1];
    m_from = answer[0];
    m_pending.clear();
    m_answered = 0;
    if (error != 0) {
        m_child = -1;
        stop();
        return systemLimitDiag("the worker cannot be started", error);
    }
    return {};
}

void Client::stop() {
    if (m_to >= 0)
        ::close(m_to); // end of input ends the worker
    if (m_from >= 0)
        ::close(m_from);
    m_to = m_from = -1;
    if (m_child > 0)
        while (::waitpid(m_child, nullptr, 0) < 0 && errno == EINTR) {
        }
    m_running.reset();
    m_child = -1;
}

Result<std::string> Client::readLine() {
    for (std::size_t searched = 0;;) {
        if (const std::size_t end = m_pending.find('\n', searched); end != std::string::npos) {
            std::string rest = m_pending.substr(end + 1);
            m_pending.resize(end);
            return std::exchange(m_pending, std::move(rest));
        }
        searched = m_pending.size();
        char buffer[65536];
        const ssize_t count = ::read(m_from, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            int status = 0;
            rusage used{};
            while (::wait4(m_child, &status, 0, &used) < 0 && errno == EINTR) {
            }
            m_child = -1;
            stop();
            m_end = howItEnded(status);
            m_shortage = isFault(status)
                             ? memoryShortage(static_cast<std::uint64_t>(used.ru_maxrss) << 10)
                             : std::string();
            if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
                if (const int refused = threadsRefused())
                    return systemLimitDiag("the worker ended", refused);
            return makeDiag(DiagCode::WorkerDied, "the worker ended: " + m_end);
        }
        m_pending.append(buffer, static_cast<std::size_t>(count));
    }
}

// With nothing left that could be done otherwise.
Diag Client::deathOf(Diag diag) const {
    if (m_shortage.empty())
        return diag;
    diag.code = systemLimit; // libraries do not look whether they got what they asked for
    diag.message += ", and " + m_shortage;
    diag.hint = "allow more memory (ulimit -v, -d)";
    return diag;
}

Result<std::string> Client::ask(const std::string& command, const snapshot::Arguments& arguments,
                                const ShowProgress& show) {
    snapshot::Arguments now = arguments;
    snapshot::Inputs avoiding;
    for (;;) {
        Result<std::string> answer = askOnce(command, now, show);
        if (!answer && snapshot::needsFreshWorker(answer.diag(), m_answered - 1)) {
            stop();
            continue;
        }
        if (answer || answer.diag().code != DiagCode::WorkerDied)
            return answer;
        std::string moved;
        if (const auto variable = snapshot::variableAfterDeath(m_last)) {
            if (const char* set = std::getenv(variable->c_str()); set != nullptr && *set == '\0')
                return deathOf(answer.takeDiag()); // it was not opened
            ::setenv(variable->c_str(), "", 1);
            moved =
                fmt::format("it is not opened again; {}= leaves it out from the start", *variable);
        } else if (const auto pin = snapshot::pinAfterDeath(m_last, avoiding.pins, m_end)) {
            avoiding.pins.push_back(*pin);
            now.pins = arguments.pins + avoiding.pinText();
            moved = snapshot::afterDeathText(*pin);
        } else {
            return deathOf(answer.takeDiag());
        }
        Diag warning = answer.takeDiag();
        warning.severity = Severity::Warning;
        warning.hint = moved;
        m_lostLibrary = true;
        m_warn(warning);
    }
}

Result<std::string> Client::askOnce(const std::string& command,
                                    const snapshot::Arguments& arguments,
                                    const ShowProgress& show) {
    m_last = {};
    FW_CHECK(start());
    snapshot::Request request;
    request.id = ++m_lastId;
    request.command = command;
    request.arguments = arguments;
    const std::string line = snapshot::requestLine(request) + "\n";
    for (std::size_t at = 0; at < line.size();) {
        const ssize_t written = ::write(m_to, line.data() + at, line.size() - at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break; // reading tells why
        at += static_cast<std::size_t>(written);
    }
    for (;;) {
        Result<std::string> text = readLine();
        if (!text) {
            Diag diag = text.takeDiag();
            const bool atNode = !snapshot::variableAfterDeath(m_last);
            diag.at({arguments.model, atNode ? m_last.text : std::string()});
            if (!atNode)
                diag.message += " while " + m_last.text;
            else if (!m_last.stage.empty())
                diag.message += fmt::format(" in stage {}", m_last.stage);
            return diag;
        }
        FW_TRY(snapshot::Answer answer, snapshot::readAnswer(*text));
        switch (answer.kind) {
        case snapshot::AnswerKind::Hello:
            break;
        case snapshot::AnswerKind::Progress:
            m_last = answer.progress;
            if (show)
                show(m_last);
            break;
        case snapshot::AnswerKind::Result:
            ++m_answered;
            return std::move(answer.result);
        case snapshot::AnswerKind::Error:
            ++m_answered;
            return std::move(answer.error);
        }
    }
}

} // namespace fw::cli
