// The main thread works, so that all runs come from one long-lived thread (libgomp makes a team per
// calling thread), while another one reads (session/request_queue.h). Standard output belongs to
// the protocol: it is moved to another descriptor, and whatever a library prints goes to standard
// error.
#include "session/worker.h"

#include "base/stopwatch.h"
#include "session/commands.h"
#include "session/crash.h"
#include "session/request_queue.h"
#include "session/version.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <malloc.h>
#include <mutex>
#include <optional>
#include <unistd.h>
#include <utility>

namespace fw {

namespace {

using namespace snapshot;

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

class Worker {
public:
    explicit Worker(int output) : m_output(output) {}

    int run() {
        startMs = 1e3 * static_cast<double>(loaded) / CLOCKS_PER_SEC + millisecondsSince(begun);
        m_output.line(helloLine({programVersion, ::getpid()}));
        if (const Status started = m_queue.start(); !started.ok()) {
            m_output.line(errorLine(0, started.diag()));
            return 3;
        }
        while (const std::optional<RequestQueue::Job> job = m_queue.next())
            serve(*job);
        m_commands.end();
        return 0;
    }

private:
    void serve(const RequestQueue::Job& job) {
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
    RequestQueue m_queue{[this](std::string line) { m_output.line(std::move(line)); }};
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
