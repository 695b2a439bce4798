#include "base/process.h"

#include "base/leftovers.h"
#include "base/system_limit.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fw {

namespace {

class PipeEnd {
public:
    PipeEnd() = default;
    explicit PipeEnd(int file) : m_file(file) {}
    PipeEnd(PipeEnd&& other) noexcept : m_file(std::exchange(other.m_file, -1)) {}
    PipeEnd& operator=(PipeEnd&& other) noexcept {
        std::swap(m_file, other.m_file);
        return *this;
    }
    ~PipeEnd() { close(); }

    int get() const { return m_file; }
    void close() {
        if (m_file >= 0)
            ::close(std::exchange(m_file, -1));
    }

private:
    int m_file = -1;
};

struct Channel {
    PipeEnd ours;
    PipeEnd theirs;
};

bool openChannels(Channel& input, Channel& output, Channel& errors) {
    // A socket pair for the input: writing to a child that has gone must not raise SIGPIPE.
    std::array<int, 2> files{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files.data()) != 0)
        return false;
    input.ours = PipeEnd(files[0]);
    input.theirs = PipeEnd(files[1]);
    for (Channel* channel : {&output, &errors}) {
        if (pipe2(files.data(), O_CLOEXEC) != 0)
            return false;
        channel->ours = PipeEnd(files[0]);
        channel->theirs = PipeEnd(files[1]);
    }
    for (const Channel* channel : {&input, &output, &errors})
        fcntl(channel->ours.get(), F_SETFL, O_NONBLOCK);
    return true;
}

// 0, or the errno of the failure.
int spawn(const ProcessRequest& request, const Channel& input, const Channel& output,
          const Channel& errors, pid_t& child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.theirs.get(), 0);
    posix_spawn_file_actions_adddup2(&actions, output.theirs.get(), 1);
    posix_spawn_file_actions_adddup2(&actions, errors.theirs.get(), 2);
    if (!request.folder.empty())
        posix_spawn_file_actions_addchdir_np(&actions, request.folder.c_str());

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);

    std::vector<std::string> words = request.command;
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::vector<std::string> ours;
    if (!request.temporaries.empty())
        ours.push_back("TMPDIR=" + request.temporaries);
    if (request.inEnglish)
        ours.emplace_back("LC_ALL=C");
    std::vector<char*> variables;
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string_view whole(*one), name = whole.substr(0, whole.find('=') + 1);
        if (std::none_of(ours.begin(), ours.end(),
                         [&](const std::string& own) { return own.starts_with(name); }))
            variables.push_back(*one);
    }
    for (std::string& own : ours)
        variables.push_back(own.data());
    variables.push_back(nullptr);
    const int failure = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(),
                                     variables.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

// Reads what is there; closes at the end of the stream.
void drain(PipeEnd& file, std::string& text, std::size_t limit) {
    std::array<char, 16384> buffer;
    while (file.get() >= 0) {
        const ssize_t count = read(file.get(), buffer.data(), buffer.size());
        if (count > 0) {
            const std::size_t room = limit - std::min(limit, text.size());
            text.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
        } else if (count == 0) {
            file.close();
        } else if (errno != EINTR) {
            return;
        }
    }
}

void feed(PipeEnd& file, const std::string& text, std::size_t& done) {
    while (done < text.size()) {
        const ssize_t count =
            send(file.get(), text.data() + done, text.size() - done, MSG_NOSIGNAL);
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else if (count < 0 && errno == EAGAIN) {
            return;
        } else {
            break; // the child does not want more
        }
    }
    file.close();
}

} // namespace

Result<ProcessOutput> runProcess(const ProcessRequest& request, const CancelToken& cancel) {
    if (request.command.empty())
        throw InternalError("runProcess without a program");
    const std::string& program = request.command.front();
    Channel input;
    Channel output;
    Channel errors;
    if (!openChannels(input, output, errors))
        return systemLimitDiag("cannot start " + program, errno);
    pid_t child = 0;
    std::optional<Leftover> running;
    const auto start = [&] {
        const Making making;
        const int failure = spawn(request, input, output, errors, child);
        if (failure == 0)
            running.emplace(Leftover::Kind::Group, child);
        return failure;
    };
    if (const int failure = start(); failure != 0)
        return isSystemLimit(failure)
                   ? systemLimitDiag("cannot start " + program, failure)
                   : makeDiag(DiagCode::FileMissing,
                              fmt::format("cannot start {}: {}", program, strerror(failure)));
    input.theirs.close();
    output.theirs.close();
    errors.theirs.close();

    ProcessOutput result;
    std::size_t fed = 0;
    const auto deadline = std::chrono::steady_clock::now() + request.timeout;
    const auto stop = [&](DiagCode code, std::string message) {
        kill(-child, SIGKILL);
        waitpid(child, nullptr, 0);
        return makeDiag(code, std::move(message));
    };
    for (;;) {
        feed(input.ours, request.input, fed);
        drain(output.ours, result.output, request.outputLimit);
        drain(errors.ours, result.errors, request.outputLimit);
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) {
            drain(output.ours, result.output, request.outputLimit);
            drain(errors.ours, result.errors, request.outputLimit);
            result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            return result;
        }
        if (cancel.cancelled())
            return stop(DiagCode::Cancelled, fmt::format("{} was cancelled", program));
        if (std::chrono::steady_clock::now() >= deadline)
            return stop(DiagCode::LimitReached, fmt::format("{} did not finish within {} ms",
                                                            program, request.timeout.count()));
        std::array<pollfd, 3> files{{{input.ours.get(), POLLOUT, 0},
                                     {output.ours.get(), POLLIN, 0},
                                     {errors.ours.get(), POLLIN, 0}}};
        // Ends at the latest after 20 ms: the exit of a child that closed its streams is not an
        // event here.
        const bool quiet = output.ours.get() < 0 && errors.ours.get() < 0;
        poll(files.data(), files.size(), quiet ? 1 : 20);
    }
}

} // namespace fw
