// Calls of tools: each is a command of `fw` in a process of its own, so that a crash costs one call
// and a call that is cancelled leaves nothing behind. One after another, for what measures must not
// share the machine.
#pragma once

#include "app/rpc/endpoint.h"
#include "app/rpc/message.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fw::mcp {

using rpc::Json;

// What a call answers that was refused before it began.
Json refusal(const Diag& diag);

class Calls {
public:
    // How many seconds it has taken, every second.
    using Progress = std::function<void(int seconds)>;

    Calls();
    ~Calls(); // ends the call at hand, leaves out the rest
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    // `words`: behind `fw`.
    void ask(const rpc::Request& request, std::vector<std::string> words, Progress progress);

private:
    struct Asked {
        rpc::Request request;
        std::vector<std::string> words;
        Progress progress;
    };
    void work();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Asked> m_calls;
    CancelToken m_current;
    bool m_isEnded = false;
    std::thread m_thread; // last: it uses the others
};

} // namespace fw::mcp
