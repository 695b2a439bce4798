// Teams of OpenMP runtimes that others brought: whether a region is open, how many threads there
// may be, and what becomes of them at a fork.
#include "runtime/floating_point_mode.h"
#include "runtime/memory.h"
#include "runtime/openmp.h"
#include "runtime/thread_team.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fw::runtime {

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool serialBuild = true;
#else
constexpr bool serialBuild = false;
#endif

// omp_in_parallel of every runtime that is loaded, whoever loaded it and however.
class LoadedRuntimes {
public:
    bool insideRegion() {
        update();
        for (std::size_t i = 0; i < m_count; ++i)
            if (m_inParallel[i]() != 0)
                return true;
        return false;
    }

private:
    using InParallel = int (*)();

    struct Changes {
        unsigned long long adds = 0, subs = 0;
        std::vector<std::string>* names = nullptr;
    };

    static int look(dl_phdr_info* info, std::size_t, void* data) {
        auto& changes = *static_cast<Changes*>(data);
        changes.adds = info->dlpi_adds;
        changes.subs = info->dlpi_subs;
        if (!changes.names)
            return 1;
        changes.names->emplace_back(info->dlpi_name ? info->dlpi_name : "");
        return 0;
    }

    void update() {
        Changes changes;
        dl_iterate_phdr(look, &changes);
        if (changes.adds == m_adds && changes.subs == m_subs)
            return;
        std::vector<std::string> names;
        changes.names = &names;
        dl_iterate_phdr(look, &changes);
        m_adds = changes.adds;
        m_subs = changes.subs;
        m_count = 0;
        for (const std::string& name : names)
            addFrom(name);
    }

    // What an object finds among its own symbols and those of what it was linked with.
    void addFrom(const std::string& name) {
        void* object = dlopen(name.empty() ? nullptr : name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (!object)
            return;
        const auto function = reinterpret_cast<InParallel>(dlsym(object, "omp_in_parallel"));
        if (function && m_count < most &&
            std::find(m_inParallel, m_inParallel + m_count, function) == m_inParallel + m_count)
            m_inParallel[m_count++] = function;
        Dl_info info = {}; // it stays, so that it can be asked
        if (function && dladdr(reinterpret_cast<void*>(function), &info) != 0 && info.dli_fname)
            if (void* kept = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
                dlclose(kept);
        dlclose(object);
    }

    static constexpr std::size_t most = 8;
    unsigned long long m_adds = 0, m_subs = 0;
    std::size_t m_count = 0;
    InParallel m_inParallel[most] = {};
};

} // namespace

bool insideOpenMpRegion(const OpenMp* openMp) {
    if (openMp && openMp->inParallel() != 0)
        return true;
    thread_local LoadedRuntimes loaded;
    return loaded.insideRegion();
}

namespace {

// Of this thread, in one runtime. Libraries of one process mostly share a runtime.
struct Team {
    const OpenMp* openMp = nullptr; // null: nobody asked
    int asked = 1, had = 1;
    bool paused = false;
    bool lost = false; // its threads stayed with the parent of this process
};
thread_local Team teams[2];
thread_local unsigned long generation = 0;
thread_local int atWork = 0;

Team& teamOf(const OpenMp& openMp) {
    for (Team& team : teams)
        if (!team.openMp || team.openMp->parallel == openMp.parallel) {
            team.openMp = &openMp;
            return team;
        }
    return teams[1];
}

// Fork takes it to write, who works in a library to read.
constexpr pthread_rwlock_t unlocked = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
pthread_rwlock_t forkLock = unlocked;

void beforeFork() {
    if (atWork == 0)
        pthread_rwlock_wrlock(&forkLock);
    constexpr int soft = 1;
    for (Team& team : teams)
        if (team.openMp && team.asked > 1)
            team.paused = team.openMp->pause && team.openMp->initialDevice &&
                          team.openMp->pause(soft, team.openMp->initialDevice()) == 0;
}

void inParent() {
    for (Team& team : teams)
        if (std::exchange(team.paused, false)) {
            team = Team{};
            ++generation;
        }
    if (atWork == 0)
        pthread_rwlock_unlock(&forkLock);
}

void inChild() {
    for (Team& team : teams) {
        const bool lost = team.lost || (team.asked > 1 && !team.paused);
        team = lost ? Team{team.openMp, 1, 1, false, true} : Team{};
    }
    ++generation;
    if (atWork == 0)
        forkLock = unlocked; // that of another thread, for its owner is counted by its number
}

void heedForks() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { pthread_atfork(beforeFork, inParent, inChild); });
}

// libgomp's, in bytes: "64M", kilobytes without a unit; 0 if it says nothing.
std::size_t stackSizeAskedFor() {
    const char* text = std::getenv("OMP_STACKSIZE");
    if (!text)
        text = std::getenv("GOMP_STACKSIZE");
    if (!text)
        return 0;
    char* end = nullptr;
    const unsigned long long value = std::strtoull(text, &end, 10);
    while (std::isspace(static_cast<unsigned char>(*end)) != 0)
        ++end;
    int shift = 10;
    switch (std::tolower(static_cast<unsigned char>(*end))) {
    case 'b':
        shift = 0;
        break;
    case 'm':
        shift = 20;
        break;
    case 'g':
        shift = 30;
        break;
    default:
        break;
    }
    return value < (1ull << (62 - shift)) ? static_cast<std::size_t>(value << shift) : 0;
}

void* waitAtGate(void* gate) {
    auto& open = *static_cast<std::atomic<std::uint32_t>*>(gate);
    while (open.load() == 0)
        syscall(SYS_futex, &open, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    return nullptr;
}

// How many of so many threads the system starts, all at once, with stacks as libgomp's. Where
// memory is limited they leave room for the library.
int startable(int wanted) {
    const KeptRoom room(roomOfLibraries);
    if (!room.isThere())
        return 0;
    // Each arena of malloc is 64 MB of addresses, which threads that run already would take from
    // those that are to be started.
    if (room.isLimited())
        mallopt(M_ARENA_MAX, 1);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (const std::size_t stack = stackSizeAskedFor(); stack > 0)
        pthread_attr_setstacksize(&attributes, stack);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::atomic<std::uint32_t> gate{0};
    std::vector<pthread_t> threads;
    pthread_t thread = {};
    while (static_cast<int>(threads.size()) < wanted &&
           pthread_create(&thread, &attributes, waitAtGate, &gate) == 0)
        threads.push_back(thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    gate.store(1);
    syscall(SYS_futex, &gate, FUTEX_WAKE_PRIVATE, wanted, nullptr, nullptr, 0);
    for (const pthread_t one : threads)
        pthread_join(one, nullptr);
    pthread_attr_destroy(&attributes);
    return static_cast<int>(threads.size());
}

void nothingToDo(void*) {}

} // namespace

unsigned long teamGeneration() {
    return generation;
}

int teamFor(const OpenMp& openMp, int wanted) {
    wanted = std::min(wanted, ThreadTeam::mostThreads);
    if (serialBuild || wanted < 2)
        return 1;
    Team& team = teamOf(openMp);
    if (team.lost)
        return 1;
    // Inside a region nothing is started; what is made ready there may run outside of it.
    if (wanted > team.asked && openMp.inParallel() == 0) {
        heedForks();
        const CallersMode mode;
        team.had = 1 + startable(wanted - 1);
        team.asked = wanted;
        if (team.had > 1)
            openMp.parallel(nothingToDo, nullptr, static_cast<unsigned>(team.had), 0);
    }
    return wanted <= team.asked ? std::min(wanted, team.had) : wanted;
}

LibraryAtWork::LibraryAtWork() {
    if (atWork++ > 0)
        return;
    heedForks();
    pthread_rwlock_rdlock(&forkLock);
}

LibraryAtWork::~LibraryAtWork() {
    if (--atWork == 0)
        pthread_rwlock_unlock(&forkLock);
}

} // namespace fw::runtime
