#include "runtime/parallel.h"

#include "runtime/thread_team.h"

#include <xmmintrin.h>

// Of the program that loaded this one, if it has an OpenMP runtime.
extern "C" __attribute__((weak)) int omp_in_parallel(void);

namespace fw::runtime {

FloatingPointMode::FloatingPointMode(std::uint32_t controlWord) : m_saved(_mm_getcsr()) {
    _mm_setcsr(controlWord);
}

FloatingPointMode::~FloatingPointMode() {
    _mm_setcsr(m_saved);
}

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool serialOpenMp = true;
#else
constexpr bool serialOpenMp = false;
#endif

struct Shared {
    const Loop& loop;
    const OpenMp& openMp;
};

void runShare(void* data) {
    const auto& [loop, openMp] = *static_cast<const Shared*>(data);
    // There may be fewer threads than were asked for.
    const std::int64_t team = openMp.teamSize();
    const std::int64_t thread = openMp.threadNumber();
    const std::int64_t share = loop.count / team;
    const std::int64_t rest = loop.count % team;
    const std::int64_t begin = thread * share + (thread < rest ? thread : rest);
    const std::int64_t end = begin + share + (thread < rest ? 1 : 0);
    if (begin == end)
        return;
    const FloatingPointMode mode(loop.controlWord);
    loop.body(loop.context, begin, end);
}

// Of the library's threads, or of its program's.
bool insideOthersLoop(const OpenMp* openMp) {
    return (openMp && openMp->inParallel() != 0) || (omp_in_parallel && omp_in_parallel() != 0);
}

} // namespace

void parallelFor(const fw_kernel_context* context, LoopBody body, std::int64_t count,
                 std::int64_t grain) {
    if (count <= 0)
        return;
    const auto& settings = *static_cast<const ParallelSettings*>(context->settings);
    std::int64_t threads = grain > 1 ? count / grain : count;
    if (threads > settings.threads)
        threads = settings.threads;
    if (threads > ThreadTeam::mostThreads)
        threads = ThreadTeam::mostThreads;
    if (threads <= 1 || ThreadTeam::inside() || insideOthersLoop(settings.openMp)) {
        body(context, 0, count);
        return;
    }
    const Loop loop{context, body, count, grain, settings.controlWord};
    if (settings.openMp && !serialOpenMp) {
        Shared shared{loop, *settings.openMp};
        settings.openMp->parallel(runShare, &shared, static_cast<unsigned>(threads), 0);
        return;
    }
    const TeamInUse team;
    if (team.get())
        team.get()->run(loop, static_cast<int>(threads));
    else
        body(context, 0, count);
}

} // namespace fw::runtime
