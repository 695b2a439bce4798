#include "runtime/openmp.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <sched.h>

namespace fw::runtime {

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool serialBuild = true;
#else
constexpr bool serialBuild = false;
#endif

// As the loader binds the library's own calls: what the program and those that it loaded for all
// define comes before what the library was linked with. A program of clang has LLVM's runtime
// there, and libgomp is loaded with the library and not called.
class Scope {
public:
    explicit Scope(void* library)
        : m_library(library), m_program(dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD)) {}
    ~Scope() {
        if (m_program)
            dlclose(m_program);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    template <class Function>
    bool find(const char* name, Function& function) const {
        void* address = m_program ? dlsym(m_program, name) : nullptr;
        function = reinterpret_cast<Function>(address ? address : dlsym(m_library, name));
        return function != nullptr;
    }

private:
    void* m_library;
    void* m_program;
};

} // namespace

bool findOpenMp(void* library, OpenMp& found) {
    const Scope scope(library);
    scope.find("omp_pause_resource", found.pause);
    scope.find("omp_get_initial_device", found.initialDevice);
    return scope.find("GOMP_parallel", found.parallel) &&
           scope.find("omp_get_thread_num", found.threadNumber) &&
           scope.find("omp_get_num_threads", found.teamSize) &&
           scope.find("omp_in_parallel", found.inParallel) &&
           scope.find("omp_get_max_threads", found.mostThreads) &&
           scope.find("omp_set_num_threads", found.setThreads);
}

namespace {

bool boundByUser() {
    static const bool bound =
        std::getenv("OMP_PROC_BIND") != nullptr || std::getenv("GOMP_CPU_AFFINITY") != nullptr;
    return bound;
}

struct Others {
    const OpenMp& openMp;
    cpu_set_t cores;
};

void keepOff(void* data) {
    const auto& [openMp, cores] = *static_cast<const Others*>(data);
    if (openMp.threadNumber() != 0)
        sched_setaffinity(0, sizeof cores, &cores);
}

} // namespace

void keepOthersOffThisCore(const OpenMp& openMp, int threads) {
    thread_local int known = -1, team = 0;
    thread_local unsigned long generation = 0;
    const int core = sched_getcpu();
    if (threads < 2 || (core == known && threads <= team && generation == teamGeneration()) ||
        core < 0 || core >= CPU_SETSIZE || serialBuild || boundByUser() || openMp.inParallel() != 0)
        return;
    Others others{openMp, {}};
    if (sched_getaffinity(0, sizeof others.cores, &others.cores) != 0)
        return; // more cores than the set holds
    CPU_CLR(static_cast<unsigned>(core), &others.cores);
    known = core;
    team = threads;
    generation = teamGeneration();
    if (CPU_COUNT(&others.cores) > 0)
        openMp.parallel(keepOff, &others, static_cast<unsigned>(threads), 0);
}

ThreadCount::ThreadCount(const OpenMp& openMp, int threads)
    : m_openMp(openMp), m_saved(openMp.mostThreads()) {
    const int wanted = teamFor(openMp, threads);
    if (wanted != m_saved)
        m_openMp.setThreads(wanted);
}

ThreadCount::~ThreadCount() {
    if (m_openMp.mostThreads() != m_saved)
        m_openMp.setThreads(m_saved);
}

} // namespace fw::runtime
