#include "extern/limited_start.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fw {

namespace {

bool memoryIsLimited() {
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit limit{};
        if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            return true;
    }
    return false;
}

[[noreturn]] void startIn(void (*start)(int), int argument, unsigned seconds) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM})
        std::signal(signal, SIG_DFL); // what is said of a crash is said of the parent
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDERR_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    ::alarm(seconds);
    start(argument);
    ::_exit(0);
}

} // namespace

std::string whyNotStarted(void (*start)(int), int argument, unsigned seconds) {
    if (!memoryIsLimited())
        return {};
    const pid_t child = ::fork();
    if (child == 0)
        startIn(start, argument, seconds);
    if (child < 0)
        return fmt::format("it could not be tried in a process of its own: {}",
                           std::strerror(errno));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    return late ? fmt::format("it does not come up within {} s where memory is limited (ulimit -v, "
                              "-d)",
                              seconds)
                : "it ends the process where memory is limited (ulimit -v, -d)";
}

} // namespace fw
