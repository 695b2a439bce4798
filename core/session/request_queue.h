// What a worker is asked on standard input: one thread reads lines, so that a cancel is seen at
// once, and another one works on what was asked, in its order.
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "snapshot/protocol.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace fw {

class RequestQueue {
public:
    struct Job {
        snapshot::Request request;
        CancelToken cancel; // set by a cancel, and where input ends
    };

    // `answer` takes lines for what is no request; from the reading thread.
    explicit RequestQueue(std::function<void(std::string)> answer) : m_answer(std::move(answer)) {}
    ~RequestQueue();
    RequestQueue(const RequestQueue&) = delete;
    RequestQueue& operator=(const RequestQueue&) = delete;

    // LimitReached where the system has no thread for it.
    Status start();
    std::optional<Job> next(); // waits; nullopt: input has ended

private:
    void read();
    void take(std::string_view piece);
    void endLine();
    void accept(std::string_view line);

    std::function<void(std::string)> m_answer;
    std::thread m_reader;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Job> m_jobs;
    std::optional<Job> m_current;
    bool m_ended = false;
    std::string m_line; // of the reader, without its end
    bool m_tooLong = false;
};

} // namespace fw
