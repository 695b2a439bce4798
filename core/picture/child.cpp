#include "picture/child.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace fw::picture {
namespace {

constexpr std::size_t mostOutput = std::size_t{32} << 20;

class Descriptor {
public:
    explicit Descriptor(int fd = -1) : m_fd(fd) {}
    ~Descriptor() { reset(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return m_fd; }
    void reset(int fd = -1) {
        if (m_fd >= 0)
            close(m_fd);
        m_fd = fd;
    }

private:
    int m_fd;
};

// Kills the whole group of a child that is still there and takes its status.
class Child {
public:
    explicit Child(pid_t pid) : m_pid(pid) {}
    ~Child() {
        if (m_pid > 0) {
            kill(-m_pid, SIGKILL);
            kill(m_pid, SIGKILL); // the group may not exist yet
            wait();
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    int wait() {
        int status = 0;
        while (waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
        }
        m_pid = -1;
        return status;
    }
    std::optional<int> poll() {
        int status = 0;
        if (waitpid(m_pid, &status, WNOHANG) <= 0)
            return std::nullopt;
        m_pid = -1;
        return status;
    }

private:
    pid_t m_pid;
};

ChildResult failure(ChildEnd end, std::string reason) {
    return {end, {}, std::move(reason)};
}

} // namespace

ChildResult runChild(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& input, std::chrono::milliseconds limit,
                     const CancelToken& cancel) {
    // Sockets instead of pipes: writing to a child that is gone must not raise SIGPIPE in this
    // process.
    int to[2], from[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0)
        return failure(ChildEnd::Failed, "no socket for the child process");
    Descriptor writeEnd(to[0]), childIn(to[1]);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, from) != 0)
        return failure(ChildEnd::Failed, "no socket for the child process");
    Descriptor readEnd(from[0]), childOut(from[1]);
    fcntl(writeEnd.get(), F_SETFL, O_NONBLOCK);
    fcntl(readEnd.get(), F_SETFL, O_NONBLOCK);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, childIn.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, childOut.get(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);

    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = -1;
    const int error =
        posix_spawnp(&pid, program.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return failure(error == ENOENT ? ChildEnd::Missing : ChildEnd::Failed,
                       error == ENOENT ? fmt::format("{} is not installed", program)
                                       : fmt::format("{} cannot be started: {}", program,
                                                     std::strerror(error)));
    Child child(pid);
    childIn.reset();
    childOut.reset();

    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + limit;
    std::string output;
    std::size_t sent = 0;
    bool open = true;
    while (open) {
        if (cancel.cancelled())
            return failure(ChildEnd::Cancelled, "cancelled");
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0)
            return failure(ChildEnd::TimedOut,
                           fmt::format("{} took longer than {} ms", program, limit.count()));
        pollfd waits[2] = {{readEnd.get(), POLLIN, 0}, {writeEnd.get(), POLLOUT, 0}};
        const int timeout =
            static_cast<int>(std::min<std::int64_t>(left.count(), 25)); // to see a cancel
        if (poll(waits, writeEnd.get() >= 0 ? 2 : 1, timeout) < 0 && errno != EINTR)
            return failure(ChildEnd::Failed, "poll failed");
        if (writeEnd.get() >= 0 && waits[1].revents != 0) {
            const ssize_t count =
                send(writeEnd.get(), input.data() + sent, input.size() - sent, MSG_NOSIGNAL);
            if (count > 0)
                sent += static_cast<std::size_t>(count);
            // A child that stops reading early may still answer.
            if (sent == input.size() || (count < 0 && errno != EAGAIN && errno != EINTR))
                writeEnd.reset();
        }
        if (waits[0].revents != 0) {
            char buffer[65536];
            const ssize_t count = recv(readEnd.get(), buffer, sizeof buffer, 0);
            if (count > 0)
                output.append(buffer, static_cast<std::size_t>(count));
            else if (count == 0 || (errno != EAGAIN && errno != EINTR))
                open = false;
            if (output.size() > mostOutput)
                return failure(ChildEnd::TooMuchOutput, fmt::format("{} wrote too much", program));
        }
    }
    // It has closed its output; give it the rest of the limit to end.
    std::optional<int> status;
    while (!(status = child.poll())) {
        if (cancel.cancelled())
            return failure(ChildEnd::Cancelled, "cancelled");
        if (Clock::now() >= deadline)
            return failure(ChildEnd::TimedOut,
                           fmt::format("{} took longer than {} ms", program, limit.count()));
        poll(nullptr, 0, 1);
    }
    if (WIFEXITED(*status) && WEXITSTATUS(*status) == 127)
        return failure(ChildEnd::Missing, fmt::format("{} is not installed", program));
    if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
        return failure(ChildEnd::Failed, fmt::format("{} failed", program));
    return {ChildEnd::Finished, std::move(output), {}};
}

} // namespace fw::picture
