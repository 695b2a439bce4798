// A worker process as one is asked who may change his mind: a question is given up when it is
// cancelled, and a worker that ends or does not listen costs that question alone.
#pragma once

#include "base/cancel.h"
#include "session/connection.h"
#include "snapshot/arguments.h"
#include "snapshot/documents.h"
#include "snapshot/worker_commands.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace fw::lsp {

class Worker {
public:
    // For one thread. Cancelled, WorkerDied, or what the engine refuses.
    template <class T>
    Result<T> ask(const snapshot::Arguments& arguments, const CancelToken& cancel) {
        Result<std::string> text = askText(snapshot::commandOf<T>, arguments, cancel);
        return text ? snapshot::fromJson<T>(*text) : Result<T>(text.takeDiag());
    }

private:
    Result<std::string> askText(const std::string& command, const snapshot::Arguments& arguments,
                                const CancelToken& cancel);

    std::unique_ptr<Connection> m_connection;
    std::int64_t m_lastId = 0;
};

// A thread that works through what is asked, in its order.
class Questions {
public:
    using Job = std::function<void(Worker&)>;

    Questions();
    ~Questions(); // cancels the work at hand, leaves out the rest
    Questions(const Questions&) = delete;
    Questions& operator=(const Questions&) = delete;

    // A job that is cancelled before its turn is left out.
    void ask(const CancelToken& cancel, Job job);

private:
    struct Asked {
        CancelToken cancel;
        Job job;
    };
    void work();

    Worker m_worker;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Asked> m_jobs;
    CancelToken m_current;
    bool m_isEnded = false;
    std::thread m_thread; // last: it uses the others
};

} // namespace fw::lsp
