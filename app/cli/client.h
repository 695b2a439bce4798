// The worker from the command line's side: a child process that is asked one request after another.
#pragma once

#include "base/leftovers.h"
#include "snapshot/protocol.h"

#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace fw::cli {

class Client {
public:
    using ShowProgress = std::function<void(const snapshot::Progress&)>;

    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    using ShowWarning = std::function<void(const Diag&)>;

    // `worker`: a command that reaches one on another machine (session/remote.h); empty: here.
    explicit Client(ShowWarning warn, std::string worker = {})
        : m_warn(std::move(warn)), m_worker(std::move(worker)) {}

    // The JSON of the answer. A request that needs a fresh child gets one; if a library ends the
    // child, it is asked again without that library (snapshot/recovery.h), with a warning.
    // WorkerDied names stage and node when nothing of this kind helps; the next call starts
    // another.
    Result<std::string> ask(const std::string& command, const snapshot::Arguments& arguments,
                            const ShowProgress& show);
    bool lostLibrary() const { return m_lostLibrary; } // one ended a child, and that was told

private:
    Result<std::string> askOnce(const std::string& command, const snapshot::Arguments& arguments,
                                const ShowProgress& show);
    Status start();
    void stop();
    Result<std::string> readLine();
    Diag deathOf(Diag diag) const;

    pid_t m_child = -1;
    std::optional<Leftover> m_running; // the child
    int m_to = -1;
    int m_from = -1;
    ShowWarning m_warn;
    bool m_lostLibrary = false;
    std::string m_worker;
    std::string m_pending;
    snapshot::Progress m_last; // what the child said last
    std::string m_end;         // how the last child ended
    std::string m_shortage;    // of memory, when a fault ended it
    std::int64_t m_lastId = 0;
    std::int64_t m_answered = 0; // by this child
};

} // namespace fw::cli
