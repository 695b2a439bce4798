#include "session/remote.h"

#include "base/base64.h"
#include "base/files.h"
#include "session/connection.h"
#include "session/document.h"
#include "session/remote_files.h"
#include "session/request_queue.h"
#include "session/sent_files.h"
#include "session/tune.h"
#include "session/version.h"
#include "snapshot/protocol.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <unistd.h>
#include <utility>

namespace fw {

namespace {

using namespace snapshot;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds tellAfter{10}; // of silence, and again after as much
constexpr std::chrono::seconds greetingWithin{60};
constexpr std::chrono::seconds heedsWithin{10}; // a cancel
constexpr int mostBefore = 50;                  // lines that a login prints before the greeting
constexpr int mostRounds = 3;                   // of sending what is missing

// Read of the first bytes, so that a large answer is not parsed.
enum class LineKind { Result, Error, Other };
LineKind kindOf(const std::string& line, std::int64_t id) {
    const std::string start = fmt::format("{{\"id\":{},\"", id);
    if (!line.starts_with(start))
        return LineKind::Other;
    const std::string_view rest = std::string_view(line).substr(start.size());
    return rest.starts_with("result\"")  ? LineKind::Result
           : rest.starts_with("error\"") ? LineKind::Error
                                         : LineKind::Other;
}

class RemoteWorker {
public:
    explicit RemoteWorker(std::string command) : m_command(std::move(command)) {}

    int run() {
        write(helloLine({programVersion, ::getpid()}));
        if (const Status started = m_queue.start(); !started.ok()) {
            write(errorLine(0, started.diag()));
            return 3;
        }
        while (const std::optional<Job> job = m_queue.next())
            serve(*job);
        m_connection.reset();
        return 0;
    }

private:
    using Job = RequestQueue::Job;

    // --- this side

    void write(std::string line) {
        line += '\n';
        const std::lock_guard lock(m_writing);
        for (std::string_view text = line; !text.empty();) {
            const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
            if (count < 0 && errno == EINTR)
                continue;
            if (count <= 0)
                return; // nobody listens: reading will end soon
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }

    void serve(const Job& job) {
        Result<std::string> line = answer(job);
        write(line ? line.take() : errorLine(job.request.id, line.diag()));
    }

    void tell(std::int64_t id, const char* stage, std::string text, std::size_t done = 0,
              std::size_t total = 0) {
        write(progressLine(id, {stage, std::move(text), static_cast<std::int64_t>(done),
                                static_cast<std::int64_t>(total)}));
    }

    // --- the other side

    Diag lost(std::string what) {
        m_connection.reset();
        return makeDiag(DiagCode::WorkerDied, fmt::format("the worker at `{}` {}", m_command, what),
                        {}, "what its command says stands above; the next request starts it again");
    }

    static Diag cancelled() { return makeDiag(DiagCode::Cancelled, "the work was cancelled"); }

    // The next line. Told while nothing comes.
    Result<std::string> line(const Job& job, std::optional<std::chrono::seconds> within = {}) {
        const auto begin = Clock::now();
        auto told = begin;
        std::optional<Clock::time_point> asked;
        for (;;) {
            std::string out;
            const Connection::Got got = m_connection->read(out, 100);
            if (got == Connection::Got::Line)
                return out;
            const auto now = Clock::now();
            if (got == Connection::Got::End) {
                const bool inside = m_connection->endedInside();
                const std::string how = m_connection->howItEnded();
                return lost(
                    fmt::format("was lost{}: {}", inside ? " in the middle of a line" : "", how));
            }
            if (within && now - begin > *within)
                return lost(fmt::format("said nothing for {} s", within->count()));
            if (job.cancel.cancelled()) {
                if (!asked) {
                    asked = now;
                    m_connection->send(cancelLine(job.request.id), job.cancel);
                } else if (now - *asked > heedsWithin) {
                    m_connection.reset(); // it does not hear
                    return cancelled();
                }
            }
            if (now - told > tellAfter) {
                told = now;
                const auto silent = std::chrono::duration_cast<std::chrono::seconds>(now - begin);
                tell(job.request.id, "wait",
                     fmt::format("nothing from `{}` for {} s", m_command, silent.count()));
            }
        }
    }

    Status connect(const Job& job) {
        if (m_connection)
            return {};
        FW_TRY(const std::vector<std::string> words, wordsOf(m_command));
        tell(job.request.id, "connect", m_command);
        FW_TRY(m_connection, Connection::open(words));
        for (int before = 0; before < mostBefore; ++before) {
            FW_TRY(const std::string text, line(job, greetingWithin));
            if (!text.starts_with('{'))
                continue; // a login may print something
            const Result<snapshot::Answer> hello = readAnswer(text);
            if (!hello || hello->kind != AnswerKind::Hello)
                return lost("does not greet as a worker does: " + text.substr(0, 100));
            if (hello->hello.version != programVersion)
                return lost(fmt::format("is fusewright {}, this is {}: both must be the same",
                                        hello->hello.version, programVersion));
            return {};
        }
        return lost("prints lines that are no greeting of a worker");
    }

    Status say(const Job& job, const Request& request) {
        if (m_connection->send(requestLine(request), job.cancel))
            return {};
        m_connection.reset();
        return cancelled();
    }

    // A request of our own; the document of its answer.
    Result<json> ask(const Job& job, const std::string& command, const Arguments& arguments) {
        if (job.cancel.cancelled())
            return cancelled();
        Request request{--m_ownId, command, arguments};
        FW_CHECK(say(job, request));
        for (;;) {
            FW_TRY(const std::string text, line(job));
            const LineKind kind = kindOf(text, request.id);
            if (kind == LineKind::Other && text.find("\"hello\"") == std::string::npos &&
                text.find("\"progress\"") == std::string::npos)
                return lost("answers something else: " + text.substr(0, 100));
            if (kind == LineKind::Other)
                continue;
            Result<snapshot::Answer> answer = readAnswer(text);
            if (!answer)
                return lost("answers something that cannot be read");
            if (answer->kind == AnswerKind::Error)
                return std::move(answer->error);
            const json document = json::parse(answer->result, nullptr, false);
            if (!document.is_object())
                return lost("answers something that cannot be read");
            return document;
        }
    }

    Status send(const Job& job, const LocalFile& file) {
        FW_TRY(const MappedFile mapped, mapFile(file.path, ~std::uint64_t{0}));
        const std::string_view text = mapped.text();
        if (text.size() != file.bytes)
            return makeDiag(DiagCode::FileMissing, "it changes while it is sent", {file.path});
        std::size_t at = 0;
        do {
            tell(job.request.id, "send", file.path, at >> 10, text.size() >> 10);
            const std::string_view piece = text.substr(at, SentFiles::pieceBytes);
            Arguments put;
            put.name = file.sha;
            put.limit = static_cast<std::int64_t>(text.size());
            put.application = static_cast<std::int64_t>(at);
            put.texts.push_back({{}, base64Of(piece)});
            FW_TRY(const json done, ask(job, "put", put));
            at += piece.size();
        } while (at < text.size());
        return {};
    }

    // The folder there, below which all files lie as they do here.
    Result<std::string> place(const Job& job, const std::vector<LocalFile>& files,
                              const Arguments& arguments) {
        Arguments wanted;
        for (const LocalFile& file : files)
            wanted.nodes.push_back(fmt::format("{} {} {}", file.sha, file.bytes, file.path));
        wanted.values = outputsOf(arguments);
        if (!arguments.log.empty())
            wanted.values.push_back(
                std::filesystem::absolute(arguments.log).lexically_normal().string());
        for (int round = 0; round < mostRounds; ++round) {
            FW_TRY(const json placed, ask(job, "place", wanted));
            std::set<std::string> missing;
            for (const json& sha : placed.value("missing", json::array()))
                if (sha.is_string())
                    missing.insert(sha.get<std::string>());
            if (missing.empty())
                return placed.value("root", std::string());
            for (const LocalFile& file : files)
                if (missing.erase(file.sha) > 0)
                    FW_CHECK(send(job, file));
        }
        return makeDiag(
            DiagCode::LimitReached,
            fmt::format("the worker at `{}` does not keep the files that it is sent", m_command));
    }

    // What was written there is written here.
    Status fetch(const Job& job, const std::string& output) {
        Arguments list;
        list.name = output;
        FW_TRY(const json found, ask(job, "take", list));
        for (const json& one : found.value("files", json::array())) {
            if (!one.is_array() || one.size() != 2 || !one[0].is_string() ||
                !one[1].is_number_unsigned())
                return lost("answers something that cannot be read");
            const auto path = one[0].get<std::string>();
            const auto bytes = one[1].get<std::uint64_t>();
            // Where this request has something written, and nowhere else.
            const std::filesystem::path given(path);
            if ((path != output && !path.starts_with(output + "/")) ||
                given.lexically_normal() != given)
                return lost("wants to write " + path);
            std::string text;
            while (text.size() < bytes) {
                tell(job.request.id, "fetch", path, text.size() >> 10, bytes >> 10);
                Arguments piece;
                piece.name = path;
                piece.application = static_cast<std::int64_t>(text.size());
                FW_TRY(const json part, ask(job, "take", piece));
                const auto decoded = fromBase64(part.value("base64", std::string()));
                if (!decoded || decoded->empty())
                    return lost("sends a file that ends too early: " + path);
                text += *decoded;
            }
            std::error_code error;
            std::filesystem::create_directories(given.parent_path(), error);
            FW_CHECK(writeFile(path, text));
        }
        return {};
    }

    // A library that a book declares may be here, and that is not the place where it is missing.
    Result<std::string> refused(std::string text) const {
        Result<snapshot::Answer> answer = readAnswer(text);
        if (!answer || answer->kind != AnswerKind::Error ||
            answer->error.code != DiagCode::LibraryMissing || answer->error.where.file.empty())
            return text;
        answer->error.message += fmt::format(
            " on the machine of the worker at `{}`, where libraries of books are not sent",
            m_command);
        return std::move(answer->error);
    }

    // The line that answers the request.
    Result<std::string> answer(const Job& job) {
        if (job.cancel.cancelled())
            return cancelled();
        FW_TRY(Arguments given, withDocument(job.request.arguments));
        const auto hashed = [&](const std::string& path, std::uint64_t done, std::uint64_t all) {
            tell(job.request.id, "hash", path, done >> 10, all >> 10);
            return !job.cancel.cancelled();
        };
        FW_TRY(const std::vector<LocalFile> files, m_files.of(given, hashed));
        const bool tunes = job.request.command == "tune" && !given.log.empty();
        if (tunes)
            FW_CHECK(appendFile(given.log, {}));
        FW_CHECK(connect(job));
        FW_TRY(const std::string root, place(job, files, given));
        if (root.empty())
            return lost("does not say where files lie");
        const RemotePaths paths(given, root);
        Request request{job.request.id, job.request.command, paths.arguments()};
        if (tunes)
            request.arguments.kind = tellsRecords;
        FW_CHECK(say(job, request));
        for (;;) {
            FW_TRY(const std::string text, line(job));
            switch (kindOf(text, request.id)) {
            case LineKind::Result:
                for (const std::string& output : outputsOf(given))
                    FW_CHECK(fetch(job, output));
                return paths.back(text);
            case LineKind::Error:
                return refused(paths.back(text));
            case LineKind::Other:
                break;
            }
            const Result<snapshot::Answer> step = readAnswer(text);
            if (!step)
                return lost("answers something else: " + text.substr(0, 100));
            if (step->kind != AnswerKind::Progress || step->id != request.id)
                continue;
            if (tunes && step->progress.stage == tellsRecords) {
                FW_CHECK(appendFile(given.log, step->progress.text));
            } else {
                write(paths.back(text));
            }
        }
    }

    const std::string m_command;
    std::mutex m_writing;
    RequestQueue m_queue{[this](std::string line) { write(std::move(line)); }};
    std::unique_ptr<Connection> m_connection;
    RemoteFiles m_files;
    std::int64_t m_ownId = 0;
};

} // namespace

int runRemoteWorker(const std::string& command) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    RemoteWorker worker(command);
    return worker.run();
}

std::string takeWorkerCommand() {
    const char* command = std::getenv("FUSEWRIGHT_WORKER");
    std::string out = command == nullptr ? "" : command;
    ::unsetenv("FUSEWRIGHT_WORKER");
    return out;
}

} // namespace fw
