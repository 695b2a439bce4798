#include "app/rpc/endpoint.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fw::rpc {

namespace {

// "[json.exception.out_of_range.403] key 'position' not found"
std::string problemOf(const Json::exception& error) {
    constexpr int keyNotFound = 403, wrongType = 302;
    const std::string_view what = error.what();
    const std::size_t first = what.find('\''), last = what.rfind('\'');
    if (error.id == keyNotFound && first < last)
        return fmt::format("the parameter {} is missing", what.substr(first + 1, last - first - 1));
    return error.id == wrongType ? "a parameter has another type than it must have"
                                 : "the parameters are not those of the method";
}

constexpr std::size_t mostInFlight = 1000;
constexpr std::size_t longestList = 1000;

Error errorOf(const Diag& diag) {
    return {diag.code == DiagCode::LimitReached ? InvalidRequest : ParseError, diag.message};
}

} // namespace

struct Endpoint::InFlight {
    std::mutex mutex;
    std::map<Json, std::shared_ptr<Request::State>> requests;

    // Whether there was room, and no other one of this id.
    bool enter(const std::shared_ptr<Request::State>& state);
    void leave(const Request::State& state);
};

struct Request::State {
    Message message;
    CancelToken cancel;
    Endpoint::Sink sink;
    std::weak_ptr<Endpoint::InFlight> among;
    std::atomic<bool> isAnswered = false;

    void end(std::optional<Json> answer) {
        if (isAnswered.exchange(true))
            return;
        if (const auto all = among.lock())
            all->leave(*this);
        sink(std::move(answer));
    }
};

bool Endpoint::InFlight::enter(const std::shared_ptr<Request::State>& state) {
    const std::lock_guard lock(mutex);
    return requests.size() < mostInFlight && requests.emplace(state->message.id, state).second;
}

void Endpoint::InFlight::leave(const Request::State& state) {
    const std::lock_guard lock(mutex);
    const auto found = requests.find(state.message.id);
    if (found != requests.end() && found->second.get() == &state)
        requests.erase(found);
}

const std::string& Request::method() const {
    return m_state->message.method;
}

const Json& Request::params() const {
    return m_state->message.params;
}

const CancelToken& Request::cancel() const {
    return m_state->cancel;
}

void Request::answer(Json result) const {
    m_state->end(resultMessage(m_state->message.id, std::move(result)));
}

void Request::refuse(const Error& error) const {
    m_state->end(errorMessage(m_state->message.id, error));
}

void Request::refuse(const Diag& diag) const {
    m_state->end(
        errorMessage(m_state->message.id, {RequestFailed, diag.text()}, codeText(diag.code)));
}

Endpoint::Endpoint(int input, int output, Framing framing)
    : m_input(input, framing), m_output(std::make_shared<Output>(output, framing)),
      m_inFlight(std::make_shared<InFlight>()), m_framing(framing) {}

void Endpoint::notify(std::string_view method, Json params) {
    m_output->send(rpc::notification(method, std::move(params)));
}

void Endpoint::cancel(const Json& id, Told told) {
    std::shared_ptr<Request::State> state;
    {
        const std::lock_guard lock(m_inFlight->mutex);
        const auto found = m_inFlight->requests.find(id);
        if (found == m_inFlight->requests.end())
            return;
        state = found->second;
    }
    state->cancel.cancel();
    state->end(told == Told::Yes ? std::optional(errorMessage(
                                       id, {RequestCancelled, "the request was cancelled"}))
                                 : std::nullopt);
}

Status Endpoint::run() {
    while (!m_isStopped && m_output->error() == 0) {
        const std::optional<Result<std::string>> text = m_input.next();
        if (!text)
            break;
        if (*text)
            take(**text);
        else
            m_output->send(errorMessage(nullptr, errorOf(text->diag())));
    }
    std::map<Json, std::shared_ptr<Request::State>> left;
    {
        const std::lock_guard lock(m_inFlight->mutex);
        left = std::exchange(m_inFlight->requests, {});
    }
    for (const auto& [id, state] : left) {
        state->cancel.cancel();
        state->isAnswered = true;
    }
    if (const int error = m_output->error(); error != 0 && error != EPIPE)
        return makeDiag(DiagCode::FileUnwritable,
                        fmt::format("standard output cannot be written: {}", std::strerror(error)));
    return {};
}

void Endpoint::take(const std::string& text) {
    Result<Json> json = parseJson(text);
    if (!json)
        m_output->send(errorMessage(nullptr, errorOf(json.diag())));
    else if (json->is_array() && m_framing == Framing::Lines)
        takeList(json.take());
    else
        take(readMessage(json.take()), [output = m_output](std::optional<Json> answer) {
            if (answer)
                output->send(*answer);
        });
}

// What several messages of one list are answered is one list, sent with the last of them.
void Endpoint::takeList(Json list) {
    if (list.empty() || list.size() > longestList) {
        m_output->send(errorMessage(
            nullptr, {InvalidRequest, fmt::format("a list of messages has 1 to {}", longestList)}));
        return;
    }
    struct Answers {
        std::mutex mutex;
        std::size_t waiting = 0;
        Json list = Json::array();
    };
    const auto answers = std::make_shared<Answers>();
    std::vector<Message> messages;
    for (Json& one : list) {
        messages.push_back(readMessage(std::move(one)));
        const Message::Kind kind = messages.back().kind;
        if (kind == Message::Kind::Request || kind == Message::Kind::Wrong)
            ++answers->waiting;
    }
    for (Message& one : messages)
        take(std::move(one), [answers, output = m_output](std::optional<Json> answer) {
            const std::lock_guard lock(answers->mutex);
            if (answer)
                answers->list.push_back(std::move(*answer));
            if (--answers->waiting == 0 && !answers->list.empty())
                output->send(answers->list);
        });
}

void Endpoint::take(Message message, Sink sink) {
    switch (message.kind) {
    case Message::Kind::Answer:
        return; // nothing is asked of the other side
    case Message::Kind::Wrong:
        return sink(errorMessage(message.id, message.error));
    case Message::Kind::Notification:
        try {
            notification(message.method, message.params);
        } catch (const Json::exception&) {
            return; // a notification has no answer, whatever is wrong with it
        }
        return;
    case Message::Kind::Request:
        break;
    }
    const auto state = std::make_shared<Request::State>();
    state->message = std::move(message);
    state->sink = std::move(sink);
    const Request made(state);
    if (!m_inFlight->enter(state))
        return made.refuse(
            {InvalidRequest, fmt::format("{} requests wait, or one of this id", mostInFlight)});
    state->among = m_inFlight;
    try {
        request(made);
    } catch (const Json::exception& error) {
        made.refuse({InvalidParams, problemOf(error)});
    }
}

int takeStandardOutput() {
    const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (output >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return -1;
    return output;
}

} // namespace fw::rpc
