#include "base/leftovers.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace fw {

namespace {

constexpr int endings[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int patience = 3000; // ms for a worker, which sweeps, too

std::atomic<bool> sweeping = false;
std::atomic<int> making = 0; // threads
thread_local int nested = 0;
std::mutex listMutex; // held within a Making only, so never by what a handler interrupts
Leftover* first = nullptr;

void sleepMs(long ms) {
    const timespec time{ms / 1000, (ms % 1000) * 1000000};
    ::nanosleep(&time, nullptr);
}

sigset_t endingSet() {
    sigset_t out;
    ::sigemptyset(&out);
    for (const int signal : endings)
        ::sigaddset(&out, signal);
    return out;
}

// Of getdents64, which needs no memory as readdir does.
struct Entry {
    std::uint64_t inode;
    std::int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
};

void removeTree(int parent, const char* name, int depth) {
    constexpr int deepest = 16, tries = 50;
    for (int i = 0; i < tries && depth < deepest; ++i) {
        const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0)
            return;
        alignas(Entry) char buffer[4096];
        for (;;) {
            const long size = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer);
            if (size <= 0)
                break;
            for (long at = 0; at < size;) {
                const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
                at += entry->length;
                const char* own = entry->name;
                if (std::strcmp(own, ".") == 0 || std::strcmp(own, "..") == 0)
                    continue;
                if (::unlinkat(folder, own, 0) != 0 && errno == EISDIR)
                    removeTree(folder, own, depth + 1);
            }
        }
        ::close(folder);
        if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno != ENOTEMPTY)
            return;
        sleepMs(1); // a process that was killed may be about to make one more
    }
}

void endProcess(pid_t process, int signal, int ms) {
    ::kill(process, signal);
    for (int i = 0; i < ms; ++i) {
        if (::waitpid(process, nullptr, WNOHANG) != 0)
            return;
        sleepMs(1);
    }
    ::kill(process, SIGKILL);
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void sweepAndEnd(int signal) {
    if (sweeping) // another thread does, and ends the process
        for (;;)
            ::pause();
    sweepLeftovers();
    std::signal(signal, SIG_DFL);
    const sigset_t all = endingSet();
    ::pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
    ::raise(signal);
}

} // namespace

Leftover::Leftover(Kind kind, std::string path)
    : m_kind(kind), m_path(std::move(path)), m_owner(::getpid()) {
    enter();
}

Leftover::Leftover(Kind kind, pid_t process)
    : m_kind(kind), m_process(process), m_owner(::getpid()) {
    enter();
}

void Leftover::enter() {
    const Making listed;
    const std::lock_guard lock(listMutex);
    m_behind = first;
    if (first != nullptr)
        first->m_before = this;
    first = this;
}

Leftover::~Leftover() {
    const Making listed;
    const std::lock_guard lock(listMutex);
    (m_before != nullptr ? m_before->m_behind : first) = m_behind;
    if (m_behind != nullptr)
        m_behind->m_before = m_before;
}

void Leftover::removeNow() const {
    switch (m_kind) {
    case Kind::File:
        ::unlink(m_path.c_str());
        break;
    case Kind::Folder:
        removeTree(AT_FDCWD, m_path.c_str(), 0);
        break;
    case Kind::EmptyFolder:
        ::rmdir(m_path.c_str());
        break;
    case Kind::Group:
        endProcess(-m_process, SIGKILL, 0);
        break;
    case Kind::Worker:
        endProcess(m_process, SIGTERM, patience);
        break;
    }
}

Making::Making() {
    const sigset_t all = endingSet();
    ::pthread_sigmask(SIG_BLOCK, &all, &m_before);
    if (nested++ > 0)
        return;
    ++making;
    if (sweeping) { // on another thread, which ends the process
        --making;
        for (;;)
            ::pause();
    }
}

Making::~Making() {
    if (--nested == 0)
        --making;
    ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

void sweepLeftovers() {
    constexpr int longest = 1000; // ms: a file that is being made on a dead disk is not waited for
    if (sweeping.exchange(true))
        return;
    for (int i = 0; i < longest && making > 0; ++i)
        sleepMs(1);
    const pid_t own = ::getpid();
    // Processes first: they make files. What was made last goes first, as what lies in a folder.
    for (const bool processes : {true, false})
        for (const Leftover* one = first; one != nullptr; one = one->m_behind)
            if (one->m_owner == own && (one->m_process != 0) == processes)
                one->removeNow();
}

void sweepAtSignals() {
    struct sigaction action = {};
    action.sa_handler = sweepAndEnd;
    action.sa_mask = endingSet();
    for (const int signal : endings) {
        struct sigaction before = {};
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            ::sigaction(signal, &action, nullptr);
    }
}

} // namespace fw
