#include "runtime/parallel.h"

#include <xmmintrin.h>

extern "C" {
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_in_parallel(void);
}

namespace fw::runtime {

FloatingPointMode::FloatingPointMode(std::uint32_t controlWord) : m_saved(_mm_getcsr()) {
    _mm_setcsr(controlWord);
}

FloatingPointMode::~FloatingPointMode() {
    _mm_setcsr(m_saved);
}

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool serialBuild = true;
#else
constexpr bool serialBuild = false;
#endif

struct Job {
    const fw_kernel_context* context;
    void (*body)(const fw_kernel_context*, std::int64_t, std::int64_t);
    std::int64_t count;
    std::uint32_t controlWord;
};

void runShare(void* data) {
    const Job& job = *static_cast<const Job*>(data);
    // libgomp may give fewer threads than were asked for.
    const std::int64_t team = omp_get_num_threads();
    const std::int64_t thread = omp_get_thread_num();
    const std::int64_t share = job.count / team;
    const std::int64_t rest = job.count % team;
    const std::int64_t begin = thread * share + (thread < rest ? thread : rest);
    const std::int64_t end = begin + share + (thread < rest ? 1 : 0);
    if (begin == end)
        return;
    const FloatingPointMode mode(job.controlWord);
    job.body(job.context, begin, end);
}

} // namespace

void parallelFor(const fw_kernel_context* context,
                 void (*body)(const fw_kernel_context*, std::int64_t begin, std::int64_t end),
                 std::int64_t count, std::int64_t grain) {
    if (count <= 0)
        return;
    const auto& settings = *static_cast<const ParallelSettings*>(context->settings);
    std::int64_t threads = grain > 1 ? count / grain : count;
    if (threads > settings.threads)
        threads = settings.threads;
    if (threads <= 1 || serialBuild || omp_in_parallel()) {
        body(context, 0, count);
        return;
    }
    Job job{context, body, count, settings.controlWord};
    GOMP_parallel(runShare, &job, static_cast<unsigned>(threads), 0);
}

} // namespace fw::runtime
