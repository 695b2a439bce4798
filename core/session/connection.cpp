#include "session/connection.h"

#include "base/system_limit.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace fw {

Result<std::vector<std::string>> wordsOf(std::string_view command) {
    std::vector<std::string> out;
    const auto unended = [&](const char* what) {
        return makeDiag(DiagCode::Usage,
                        fmt::format("the command of a worker ends inside {}: {}", what, command));
    };
    std::string word;
    bool inWord = false;
    char quote = 0;
    for (std::size_t at = 0; at < command.size(); ++at) {
        const char c = command[at];
        const bool blank = c == ' ' || c == '\t' || c == '\n';
        if (c == '\\' && quote != '\'') {
            if (++at == command.size())
                return unended("a backslash");
            word += command[at];
            inWord = true;
        } else if (quote != 0 && c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
            inWord = true;
        } else if (quote == 0 && blank) {
            if (std::exchange(inWord, false))
                out.push_back(std::exchange(word, {}));
        } else {
            word += c;
            inWord = true;
        }
    }
    if (quote != 0)
        return unended("a quote");
    if (inWord)
        out.push_back(std::move(word));
    if (out.empty())
        return makeDiag(DiagCode::Usage, "the command of a worker is empty", {},
                        "\"ssh HOST fw --worker\"");
    return out;
}

namespace {

// Both ends; closed unless they are taken.
struct Pipe {
    int ends[2] = {-1, -1};

    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        for (const int end : ends)
            if (end >= 0)
                ::close(end);
    }
    Status open(const std::string& to) {
        if (::pipe2(ends, O_CLOEXEC) == 0)
            return {};
        return makeDiag(DiagCode::LimitReached,
                        fmt::format("no pipe to {}: {}", to, std::strerror(errno)));
    }
    int take(std::size_t end) { return std::exchange(ends[end], -1); }
};

} // namespace

Result<std::unique_ptr<Connection>> Connection::open(const std::vector<std::string>& command,
                                                     Errors errors) {
    std::unique_ptr<Connection> out(new Connection);
    Pipe request, answer, told;
    FW_CHECK(request.open(command[0]));
    FW_CHECK(answer.open(command[0]));
    if (errors == Errors::Kept)
        FW_CHECK(told.open(command[0]));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, request.ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answer.ends[1], STDOUT_FILENO);
    if (errors == Errors::Kept)
        posix_spawn_file_actions_adddup2(&actions, told.ends[1], STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> words;
    for (const std::string& word : command)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const auto making = std::make_unique<Making>();
    const int error =
        ::posix_spawnp(&out->m_child, words[0], &actions, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    out->m_to = request.take(1);
    ::fcntl(out->m_to, F_SETFL, O_NONBLOCK); // a side that takes nothing must not hold up a cancel
    out->m_from = answer.take(0);
    out->m_fromErrors = told.take(0);
    if (out->m_fromErrors >= 0)
        ::fcntl(out->m_fromErrors, F_SETFL, O_NONBLOCK);
    if (error != 0) {
        out->m_child = -1;
        return makeDiag(DiagCode::FileMissing,
                        fmt::format("{} cannot be started: {}", command[0], std::strerror(error)),
                        {}, "the first word of --worker is a program");
    }
    out->m_running.emplace(Leftover::Kind::Worker, out->m_child);
    return out;
}

Connection::~Connection() {
    if (m_to >= 0)
        ::close(m_to); // end of input ends a worker
    if (m_from >= 0)
        ::close(m_from);
    (void)reap();
    if (m_fromErrors >= 0)
        ::close(m_fromErrors);
}

void Connection::endNow() const {
    if (m_child > 0)
        ::kill(m_child, SIGTERM);
}

// What is there; the end of it is that nothing is read any more.
void Connection::readErrors() {
    char buffer[4096];
    ssize_t count = 0;
    while (m_fromErrors >= 0 && (count = ::read(m_fromErrors, buffer, sizeof buffer)) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return;
        m_errors.append(buffer, static_cast<std::size_t>(count));
    }
    if (m_fromErrors >= 0)
        ::close(std::exchange(m_fromErrors, -1));
}

// Its status. One that does not end by itself within two seconds is told to.
int Connection::reap() {
    int status = 0;
    if (m_child <= 0)
        return status;
    constexpr int steps = 100;
    for (int waited = 0; ::waitpid(m_child, &status, WNOHANG) == 0; ++waited) {
        if (waited == steps)
            ::kill(m_child, SIGTERM);
        if (waited == 2 * steps)
            ::kill(m_child, SIGKILL);
        ::usleep(20'000);
    }
    m_child = -1;
    m_running.reset();
    return status;
}

bool Connection::send(std::string line, const CancelToken& cancel) {
    line += '\n';
    for (std::size_t at = 0; at < line.size();) {
        const ssize_t count = ::write(m_to, line.data() + at, line.size() - at);
        if (count > 0) {
            at += static_cast<std::size_t>(count);
        } else if (count < 0 && errno == EAGAIN) {
            if (cancel.cancelled())
                return false;
            constexpr int askAgain = 100; // ms
            pollfd wait{m_to, POLLOUT, 0};
            ::poll(&wait, 1, askAgain);
        } else if (count == 0 || errno != EINTR) {
            return true;
        }
    }
    return true;
}

Connection::Got Connection::read(std::string& line, int milliseconds) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
    for (;;) {
        if (const std::size_t end = m_pending.find('\n', m_searched); end != std::string::npos) {
            std::string rest = m_pending.substr(end + 1);
            m_pending.resize(end);
            line = std::exchange(m_pending, std::move(rest));
            m_searched = 0;
            return Got::Line;
        }
        m_searched = m_pending.size();
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd waits[] = {{m_from, POLLIN, 0}, {m_fromErrors, POLLIN, 0}}; // none is negative
        const int ready = ::poll(waits, 2, left > 0 ? static_cast<int>(left) : 0);
        if (ready > 0 && waits[1].revents != 0)
            readErrors();
        if (ready > 0 && waits[0].revents == 0)
            continue;
        if (ready == 0)
            return Got::Nothing;
        if (ready < 0) {
            if (errno == EINTR)
                continue;
            return Got::Nothing;
        }
        char buffer[65536];
        const ssize_t count = ::read(m_from, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count > 0) {
            m_pending.append(buffer, static_cast<std::size_t>(count));
            continue;
        }
        if (m_child > 0) {
            ::close(std::exchange(m_to, ::open("/dev/null", O_WRONLY | O_CLOEXEC)));
            const int status = reap();
            m_end = WIFSIGNALED(status) ? signalText(WTERMSIG(status))
                                        : fmt::format("exit code {}", WEXITSTATUS(status));
            readErrors();
        }
        return Got::End;
    }
}

} // namespace fw
