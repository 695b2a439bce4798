// One thread reads lines, so that a cancel is seen at once; the main thread works, so that all runs
// come from one long-lived thread (libgomp makes a team per calling thread). Standard output
// belongs to the protocol: it is moved to another descriptor, and whatever a library prints goes to
// standard error.
#include "session/worker.h"

#include "base/system_limit.h"
#include "session/commands.h"
#include "session/crash.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <malloc.h>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t longestLine = 64u << 20;
constexpr std::size_t largeAnswer = 1u << 20;

// When the program and its libraries had been loaded, which is the first moment that its own code
// sees. A child that goes on in this image has the times of its parent.
const std::clock_t loaded = std::clock();
const std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
double startMs = 0;

class Output {
public:
    explicit Output(int descriptor) : m_descriptor(descriptor) {}

    void line(std::string text) {
        text += '\n';
        std::lock_guard lock(m_mutex);
        write(text);
    }
    // How many bytes of JSON it was.
    std::size_t result(std::int64_t id, const Commands::Write& document) {
        std::size_t size = 0;
        std::lock_guard lock(m_mutex);
        write(resultStart(id));
        document([&](std::string_view piece) {
            size += piece.size();
            write(piece);
        });
        write(std::string(resultEnd) + '\n');
        return size;
    }

private:
    void write(std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(m_descriptor, text.data(), text.size());
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                return; // the other side has gone; reading will end soon
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    std::mutex m_mutex;
    int m_descriptor;
};

struct Job {
    Request request;
    CancelToken cancel;
};

class Worker {
public:
    explicit Worker(int output) : m_output(output) {}

    int run() {
        startMs =
            1e3 * static_cast<double>(loaded) / CLOCKS_PER_SEC +
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun)
                .count();
        m_output.line(helloLine({"0.1.0", ::getpid()}));
        std::thread reader;
        try {
            reader = std::thread([this] { read(); });
        } catch (const std::system_error& refused) {
            m_output.line(errorLine(0, systemLimitDiag("the worker has no thread to read with",
                                                       refused.code().value())));
            return 3;
        }
        while (std::optional<Job> job = next())
            serve(*job);
        reader.join();
        m_commands.end();
        return 0;
    }

private:
    void read() {
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
    void take(std::string_view piece) {
        if (m_tooLong || m_line.size() + piece.size() <= longestLine) {
            if (!m_tooLong)
                m_line += piece;
            return;
        }
        m_tooLong = true;
        m_line = {};
        m_output.line(
            errorLine(0, makeDiag(DiagCode::LimitReached,
                                  fmt::format("a request has more than {} bytes", longestLine), {},
                                  "texts that are larger are read from files")));
    }

    void endLine() {
        if (!std::exchange(m_tooLong, false))
            accept(m_line);
        m_line.clear();
    }

    void accept(std::string_view line) {
        if (line.empty())
            return;
        Result<Command> command = readCommand(line);
        if (!command) {
            m_output.line(errorLine(0, command.diag()));
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

    std::optional<Job> next() {
        std::unique_lock lock(m_mutex);
        m_current.reset();
        m_changed.wait(lock, [this] { return m_ended || !m_jobs.empty(); });
        if (m_ended)
            return std::nullopt;
        m_current = std::move(m_jobs.front());
        m_jobs.pop_front();
        return m_current;
    }

    void serve(const Job& job) {
        const std::int64_t id = job.request.id;
        setServing(id);
        Context context;
        context.cancel = job.cancel;
        context.progress = [&](const StageProgress& step) {
            m_output.line(
                progressLine(id, {step.stage, step.text, static_cast<std::int64_t>(step.done),
                                  static_cast<std::int64_t>(step.total)}));
        };
        Result<Commands::Write> answer =
            job.cancel.cancelled()
                ? Result<Commands::Write>(makeDiag(DiagCode::Cancelled, "the work was cancelled"))
                : m_commands.answer(job.request, context);
        if (!answer)
            return m_output.line(errorLine(id, answer.diag()));
        if (m_output.result(id, *answer) >= largeAnswer) {
            *answer = nullptr; // the document
            ::malloc_trim(0);  // what it was made of is needed no more
        }
    }

    Output m_output;
    Commands m_commands;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Job> m_jobs;
    std::optional<Job> m_current;
    bool m_ended = false;
    std::string m_line; // of the reader, without its end
    bool m_tooLong = false;
};

} // namespace

double processStartMs() {
    return startMs;
}

int runWorker() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // a file that grows too large is an error of the write
    const int output = ::dup(STDOUT_FILENO);
    if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return 3;
    ::fcntl(output, F_SETPIPE_SZ, 1 << 20); // a large answer waits for fewer turns of its reader
    installLastWord(output);
    // What it holds is not taken apart at the end: the system takes memory back faster than it is
    // freed piece by piece.
    static Worker* const worker = new Worker(output);
    return worker->run();
}

} // namespace fw
