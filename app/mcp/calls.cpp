#include "app/mcp/calls.h"

#include "session/connection.h"
#include "snapshot/documents.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace fw::mcp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int askAgain = 20; // ms: how late a cancel is seen
constexpr std::size_t longestAnswer = 64u << 20;

struct Ended {
    std::string out, errors;
    std::string how;
};

// Cancelled, or that it cannot be started.
Result<Ended> run(const std::vector<std::string>& words, const CancelToken& cancel,
                  const Calls::Progress& progress) {
    std::vector<std::string> command = {"/proc/self/exe"};
    command.insert(command.end(), words.begin(), words.end());
    FW_TRY(const auto process, Connection::open(command, Connection::Errors::Kept));
    const Clock::time_point begun = Clock::now();
    Ended out;
    int told = 0; // seconds
    for (std::string line;;) {
        if (cancel.cancelled()) {
            process->endNow();
            return makeDiag(DiagCode::Cancelled, "the call was cancelled");
        }
        const Connection::Got got = process->read(line, askAgain);
        if (got == Connection::Got::End)
            break;
        if (got == Connection::Got::Line)
            out.out += line + "\n";
        const auto seconds = static_cast<int>(
            std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun).count());
        if (seconds > told && progress)
            progress(told = seconds);
    }
    out.errors = process->errors();
    out.how = process->howItEnded();
    return out;
}

Json textOf(std::string text) {
    return {{"type", "text"}, {"text", std::move(text)}};
}

Json answerOf(const Ended& ended) {
    Json content = Json::array(), document;
    if (ended.out.size() > longestAnswer)
        return refusal(makeDiag(DiagCode::LimitReached,
                                fmt::format("the answer has {} bytes, more than the {} that are "
                                            "passed on",
                                            ended.out.size(), longestAnswer),
                                {}, "ask about less, or have it written into a file"));
    document = Json::parse(ended.out, nullptr, false);
    if (document.is_discarded())
        return refusal(makeDiag(DiagCode::WorkerDied,
                                fmt::format("the command ended without an answer: {}", ended.how),
                                {}, ended.errors));
    std::string text = ended.out; // in the order of the record
    if (!document.is_object()) {  // of several books: what is structured is an object
        document = {{"answers", std::move(document)}};
        text = document.dump();
    }
    // Whatever the exit code: outputs that differ and books that are wrong are answers.
    const bool isRefused = document.contains("code") && document.contains("severity");
    content.push_back(textOf(std::move(text)));
    if (!ended.errors.empty())
        content.push_back(textOf(ended.errors));
    return {{"content", std::move(content)},
            {"structuredContent", std::move(document)},
            {"isError", isRefused}};
}

} // namespace

Json refusal(const Diag& diag) {
    const std::string document = snapshot::toJson(diag);
    return {{"content", {textOf(diag.text())}},
            {"structuredContent", Json::parse(document, nullptr, false)},
            {"isError", true}};
}

Calls::Calls() : m_thread([this] { work(); }) {}

Calls::~Calls() {
    {
        const std::lock_guard lock(m_mutex);
        m_isEnded = true;
        m_current.cancel();
    }
    m_changed.notify_all();
    m_thread.join();
}

void Calls::ask(const rpc::Request& request, std::vector<std::string> words, Progress progress) {
    {
        const std::lock_guard lock(m_mutex);
        m_calls.push_back({request, std::move(words), std::move(progress)});
    }
    m_changed.notify_all();
}

void Calls::work() {
    for (;;) {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_isEnded || !m_calls.empty(); });
        if (m_isEnded)
            return;
        const Asked next = std::move(m_calls.front());
        m_calls.pop_front();
        m_current = next.request.cancel();
        lock.unlock();
        const Result<Ended> ended = run(next.words, next.request.cancel(), next.progress);
        next.request.answer(ended ? answerOf(*ended) : refusal(ended.diag()));
    }
}

} // namespace fw::mcp
