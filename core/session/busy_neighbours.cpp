#include "session/busy_neighbours.h"

#include "base/system_limit.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fw {

BusyNeighbours::~BusyNeighbours() {
    for (const pid_t pid : m_pids)
        ::kill(pid, SIGKILL);
    for (const pid_t pid : m_pids)
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
}

Status BusyNeighbours::start(int count) {
    const pid_t parent = ::getpid();
    for (int i = 0; i < count; ++i) {
        const pid_t pid = ::fork();
        if (pid < 0)
            return systemLimitDiag(
                fmt::format("only {} of {} busy processes could be started", i, count), errno);
        if (pid == 0) { // of a process with threads: nothing but system calls
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != parent)
                ::_exit(0);
            ::close(STDIN_FILENO);
            ::close(STDOUT_FILENO);
            for (;;)
                asm volatile("");
        }
        m_pids.push_back(pid);
    }
    return {};
}

} // namespace fw
