// The worker from the command line's side: a child process that is asked one request after another.
#pragma once

#include "snapshot/protocol.h"

#include <functional>
#include <string>
#include <sys/types.h>

namespace fw::cli {

class Client {
public:
    using ShowProgress = std::function<void(const snapshot::Progress&)>;

    Client() = default;
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // The JSON of the answer. WorkerDied names stage and node when the child ends before it
    // answers; the next call starts another.
    Result<std::string> ask(const std::string& command, const snapshot::Arguments& arguments,
                            const ShowProgress& show);

private:
    Status start();
    void stop();
    Result<std::string> readLine();

    pid_t m_child = -1;
    int m_to = -1;
    int m_from = -1;
    std::string m_pending;
    std::int64_t m_lastId = 0;
};

} // namespace fw::cli
