#include "runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <sched.h>

namespace fw::runtime {

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

static_assert(ThreadTeam::mostThreads <= 256);

// A share is computed by the call that begins it. A pool that returns before that has ended is
// waited for: what the call uses is on this thread's stack.
struct PoolLoop {
    const Loop& loop;
    std::int32_t shares;
    std::atomic<std::uint64_t> begun[4] = {}; // a bit for each
    std::atomic<std::int32_t> ended{0};
    std::atomic<bool> isAgain{false};

    std::int32_t countBegun() const {
        std::int32_t count = 0;
        for (const auto& bits : begun)
            count += __builtin_popcountll(bits.load(std::memory_order_relaxed));
        return count;
    }
};

void runPoolShare(void* data, std::int32_t index) {
    auto& shared = *static_cast<PoolLoop*>(data);
    const Loop& loop = shared.loop;
    if (index < 0 || index >= shared.shares)
        return;
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    if ((shared.begun[index / 64].fetch_or(bit, std::memory_order_relaxed) & bit) != 0) {
        shared.isAgain.store(true, std::memory_order_relaxed);
        return;
    }
    const std::int64_t begin = loop.count / shared.shares * index +
                               std::min<std::int64_t>(index, loop.count % shared.shares);
    const std::int64_t end =
        begin + loop.count / shared.shares + (index < loop.count % shared.shares ? 1 : 0);
    {
        const FloatingPointMode mode(loop.controlWord);
        isInsideShare = true;
        loop.body(loop.context, begin, end);
        isInsideShare = false;
    }
    shared.ended.fetch_add(1, std::memory_order_release);
}

void runOnPool(const Loop& loop, const ParallelSettings& settings, std::int32_t shares) {
    PoolLoop shared{loop, shares};
    settings.pool.run(settings.pool.data, shares, runPoolShare, &shared);
    if (shared.ended.load(std::memory_order_acquire) == shares && !shared.isAgain)
        return;
    const std::int32_t begun = shared.countBegun();
    while (shared.ended.load(std::memory_order_acquire) < begun)
        sched_yield();
    settings.poolFault = {shares, shares - begun, shared.isAgain.load()};
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
        runOnPool(loop, settings, static_cast<std::int32_t>(threads));
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
