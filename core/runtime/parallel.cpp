#include "runtime/parallel.h"

#include "runtime/thread_team.h"

#include <algorithm>
#include <xmmintrin.h>

namespace fw::runtime {

namespace {

constexpr std::uint16_t usualX87 = 0x037f; // to nearest, 64 bits, no traps

// The outermost mode of this thread: what the caller had.
thread_local const FloatingPointWords* callersWords = nullptr;

} // namespace

FloatingPointWords FloatingPointWords::exchange(std::uint32_t controlWord) {
    FloatingPointWords before;
    before.mxcsr = _mm_getcsr();
    _mm_setcsr(controlWord);
    asm volatile("fnstcw %0" : "=m"(before.x87[0]));
    if (before.x87[0] != usualX87) {
        asm volatile("fnstenv %0" : "=m"(before.x87)); // ends traps that are pending
        asm volatile("fldcw %0" : : "m"(usualX87));
    }
    return before;
}

void FloatingPointWords::put() const {
    _mm_setcsr(mxcsr);
    if (x87[0] != usualX87)
        asm volatile("fldenv %0" : : "m"(x87));
}

bool FloatingPointWords::isMode(std::uint32_t controlWord) const {
    constexpr std::uint32_t flags = _MM_EXCEPT_MASK;
    return (mxcsr & ~flags) == (controlWord & ~flags) && x87[0] == usualX87;
}

FloatingPointMode::FloatingPointMode(std::uint32_t controlWord)
    : m_saved(FloatingPointWords::exchange(controlWord)), m_isOutermost(callersWords == nullptr) {
    if (m_isOutermost)
        callersWords = &m_saved;
}

FloatingPointMode::~FloatingPointMode() {
    if (m_isOutermost)
        callersWords = nullptr;
    m_saved.put();
}

CallersMode::CallersMode() : m_changes(callersWords != nullptr) {
    if (!m_changes)
        return;
    m_saved = FloatingPointWords::exchange(callersWords->mxcsr);
    callersWords->put();
}

CallersMode::~CallersMode() {
    if (m_changes)
        FloatingPointWords::exchange(m_saved.mxcsr);
}

namespace {

thread_local bool isInsideShare = false; // of a loop on the caller's threads

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

struct PoolLoop {
    const Loop& loop;
    std::int32_t shares;
};

void runPoolShare(void* data, std::int32_t index) {
    const auto& [loop, shares] = *static_cast<const PoolLoop*>(data);
    if (index < 0 || index >= shares)
        return;
    const std::int64_t begin =
        loop.count / shares * index + std::min<std::int64_t>(index, loop.count % shares);
    const std::int64_t end = begin + loop.count / shares + (index < loop.count % shares ? 1 : 0);
    const FloatingPointMode mode(loop.controlWord);
    isInsideShare = true;
    loop.body(loop.context, begin, end);
    isInsideShare = false;
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
    if (threads <= 1 || ThreadTeam::inside() || isInsideShare ||
        (settings.openMp && settings.openMp->inParallel() != 0)) {
        body(context, 0, count);
        return;
    }
    const Loop loop{context, body, count, grain, settings.controlWord};
    if (settings.pool.run) {
        PoolLoop shared{loop, static_cast<std::int32_t>(threads)};
        settings.pool.run(settings.pool.data, shared.shares, runPoolShare, &shared);
        return;
    }
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
