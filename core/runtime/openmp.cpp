#include "runtime/openmp.h"

#include <dlfcn.h>

namespace fw::runtime {

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool serialBuild = true;
#else
constexpr bool serialBuild = false;
#endif

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

} // namespace

bool findOpenMp(void* library, OpenMp& found) {
    return find(library, "GOMP_parallel", found.parallel) &&
           find(library, "omp_get_thread_num", found.threadNumber) &&
           find(library, "omp_get_num_threads", found.teamSize) &&
           find(library, "omp_in_parallel", found.inParallel) &&
           find(library, "omp_get_max_threads", found.mostThreads) &&
           find(library, "omp_set_num_threads", found.setThreads);
}

ThreadCount::ThreadCount(const OpenMp& openMp, int threads)
    : m_openMp(openMp), m_saved(openMp.mostThreads()) {
    const int wanted = serialBuild ? 1 : threads;
    if (wanted != m_saved)
        m_openMp.setThreads(wanted);
}

ThreadCount::~ThreadCount() {
    if (m_openMp.mostThreads() != m_saved)
        m_openMp.setThreads(m_saved);
}

} // namespace fw::runtime
