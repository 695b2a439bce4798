// One end of JSON-RPC: it reads what the other side asks, hands it to who answers, and sees to it
// that each request is answered once, whatever becomes of it.
#pragma once

#include "app/rpc/stream.h"
#include "base/cancel.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace fw::rpc {

// A request that waits for its answer; copies are the same one. The first answer counts, from any
// thread; who is cancelled may answer, too, and nobody hears it.
class Endpoint;

class Request {
public:
    const std::string& method() const;
    const Json& params() const;
    const CancelToken& cancel() const;
    void answer(Json result) const;
    void refuse(const Error& error) const;
    void refuse(const Diag& diag) const; // RequestFailed, with the code of the engine

private:
    friend class Endpoint;
    struct State;
    explicit Request(std::shared_ptr<State> state) : m_state(std::move(state)) {}

    std::shared_ptr<State> m_state;
};

class Endpoint {
public:
    Endpoint(int input, int output, Framing framing);

    // A parameter that is missing or of another type may throw what Json throws: the request is
    // refused as one with wrong parameters, a notification is dropped.
    std::function<void(const Request&)> request;
    std::function<void(const std::string& method, const Json& params)> notification;

    void notify(std::string_view method, Json params);

    // A request that is not answered yet: its work may stop. `told`: the other side waits for an
    // answer all the same.
    enum class Told : bool { No, Yes };
    void cancel(const Json& id, Told told);

    // Until input ends, stop() was called by a handler, or output cannot be written, which is the
    // error then. What is not answered is cancelled.
    Status run();
    void stop() { m_isStopped = true; }

private:
    friend class Request; // whose state is what is in flight

    struct InFlight;
    using Sink = std::function<void(std::optional<Json>)>; // nothing: there is no answer

    void take(const std::string& text);
    void takeList(Json list);
    void take(Message message, Sink sink);

    Input m_input;
    std::shared_ptr<Output> m_output;
    std::shared_ptr<InFlight> m_inFlight;
    Framing m_framing;
    bool m_isStopped = false;
};

// Standard output belongs to the protocol from here on, under the descriptor that is returned;
// whatever else the program prints goes to standard error. Negative: there is none.
int takeStandardOutput();

} // namespace fw::rpc
