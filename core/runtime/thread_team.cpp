#include "runtime/thread_team.h"

#include "runtime/floating_point_mode.h"

#include <csignal>
#include <initializer_list>
#include <linux/futex.h>
#include <memory>
#include <new>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

namespace fw::runtime {

namespace {

// In cycles of the time stamp counter, two to four a nanosecond.
constexpr std::uint64_t leastSpin = 10'000;    // some microseconds: what waking a thread costs
constexpr std::uint64_t mostSpin = 200'000;    // for the next loop: what a serial step takes
constexpr std::uint64_t mostBarrier = 100'000; // for a piece that another thread has begun
constexpr std::uint64_t lostTheCore = 60'000;  // between two looks: somebody else ran here
constexpr std::int64_t mostPieces = 4;         // of a share
constexpr int pieceBits = 16;
constexpr std::uint32_t sleeping = 0x80000000; // in m_done: the caller waits in the kernel

thread_local bool isInside = false;

void sleepOn(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace

bool ThreadTeam::inside() {
    return isInside;
}

void ThreadTeam::start(int threads) {
    // Signals are the program's, but for those that a fault of a kernel raises.
    sigset_t all, before;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT})
        sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (m_started < threads && !m_noMore) {
        Member& member = m_members[m_started];
        member.team = this;
        member.seat = m_started;
        m_noMore = pthread_create(&member.thread, nullptr, memberMain, &member) != 0;
        m_started += m_noMore ? 0 : 1;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    m_callersCore = -1;
}

void ThreadTeam::keepOffCallersCore() {
    const int core = sched_getcpu();
    if (core == m_callersCore || core < 0 || core >= CPU_SETSIZE)
        return;
    m_callersCore = core;
    cpu_set_t others;
    if (sched_getaffinity(0, sizeof others, &others) != 0)
        return; // more cores than the set holds
    CPU_CLR(static_cast<unsigned>(core), &others);
    if (CPU_COUNT(&others) == 0)
        return;
    for (int seat = 1; seat < m_started; ++seat)
        pthread_setaffinity_np(m_members[seat].thread, sizeof others, &others);
}

ThreadTeam::~ThreadTeam() {
    m_ending.store(true);
    for (int seat = 1; seat < m_started; ++seat) {
        m_seats[seat].call.fetch_add(1);
        wake(m_seats[seat].call);
    }
    for (int seat = 1; seat < m_started; ++seat)
        pthread_join(m_members[seat].thread, nullptr);
}

void* ThreadTeam::memberMain(void* member) {
    isInside = true;
    const Member& self = *static_cast<Member*>(member);
    self.team->serve(self.seat);
    return nullptr;
}

bool ThreadTeam::spinForCall(const Seat& seat, std::uint32_t seen, std::uint64_t& limit) const {
    const std::uint64_t begin = __rdtsc();
    for (std::uint64_t last = begin; last - begin < limit;) {
        _mm_pause();
        if (seat.call.load(std::memory_order_acquire) != seen)
            return true;
        const std::uint64_t now = __rdtsc();
        if (now - last > lostTheCore) {
            limit = leastSpin;
            return false;
        }
        last = now;
    }
    return false;
}

void ThreadTeam::serve(int number) {
    Seat& seat = m_seats[number];
    std::uint32_t seen = 0;
    std::uint64_t limit = mostSpin;
    while (true) {
        const std::uint64_t begin = __rdtsc();
        if (!spinForCall(seat, seen, limit)) {
            seat.asleep.store(1);
            while (seat.call.load() == seen)
                sleepOn(seat.call, seen);
            seat.asleep.store(0);
        }
        // Where calls come soon, spinning is worth it.
        if (__rdtsc() - begin < mostSpin)
            limit = limit * 2 < mostSpin ? limit * 2 : mostSpin;
        // In this order: a call that is missed here is another one for the next wait, the last too.
        seen = seat.call.load();
        if (m_ending.load())
            return;
        const std::uint64_t job = seat.left.load(std::memory_order_acquire) >> pieceBits;
        const std::uint32_t done = takePieces(number, job, nullptr);
        if (done > 0 && (m_done.fetch_add(done, std::memory_order_acq_rel) & sleeping) != 0)
            wake(m_done);
    }
}

std::uint32_t ThreadTeam::takePieces(int self, std::uint64_t job, std::uint64_t* longest) {
    const fw_kernel_context* context = m_context.load(std::memory_order_relaxed);
    const LoopBody body = m_body.load(std::memory_order_relaxed);
    const std::int64_t count = m_count.load(std::memory_order_relaxed);
    const std::int32_t threads = m_threads.load(std::memory_order_relaxed);
    const std::uint32_t pieces = m_pieces.load(std::memory_order_relaxed);
    const FloatingPointMode mode(m_controlWord.load(std::memory_order_relaxed));
    std::uint32_t done = 0;
    for (std::int32_t k = 0; k < threads; ++k) {
        const std::int32_t owner = (self + k) % threads;
        std::atomic<std::uint64_t>& left = m_seats[owner].left;
        const std::int64_t share = count / threads, rest = count % threads;
        const std::int64_t begin = owner * share + (owner < rest ? owner : rest);
        const std::int64_t length = share + (owner < rest ? 1 : 0);
        std::uint64_t word = left.load(std::memory_order_acquire);
        while (word >> pieceBits == job) {
            const auto remaining = static_cast<std::int64_t>(word & ((1U << pieceBits) - 1));
            if (remaining == 0)
                break;
            // What was read above belongs to this job if the piece is still to be had.
            if (!left.compare_exchange_weak(word, word - 1, std::memory_order_acq_rel,
                                            std::memory_order_acquire))
                continue;
            const std::int64_t piece = pieces - remaining;
            const std::uint64_t before = longest ? __rdtsc() : 0;
            body(context, begin + length * piece / pieces, begin + length * (piece + 1) / pieces);
            const std::uint64_t took = longest ? __rdtsc() - before : 0;
            if (longest && took > *longest)
                *longest = took;
            ++done;
            word = left.load(std::memory_order_acquire);
        }
    }
    return done;
}

void ThreadTeam::waitForOthers(std::uint32_t wanted, std::uint64_t cycles) {
    const std::uint64_t begin = __rdtsc();
    do {
        if (m_done.load(std::memory_order_acquire) == wanted)
            return;
        _mm_pause();
    } while (__rdtsc() - begin < cycles);
    std::uint32_t seen = m_done.fetch_or(sleeping) | sleeping;
    while (seen != (wanted | sleeping)) {
        sleepOn(m_done, seen);
        seen = m_done.load(std::memory_order_acquire);
    }
}

void ThreadTeam::run(const Loop& loop, int threads) {
    if (m_started < threads)
        start(threads);
    keepOffCallersCore();
    const std::int64_t share = loop.count / threads;
    std::int64_t pieces = loop.grain > 1 ? share / loop.grain : share;
    pieces = pieces < 1 ? 1 : pieces > mostPieces ? mostPieces : pieces;
    m_context.store(loop.context, std::memory_order_relaxed);
    m_body.store(loop.body, std::memory_order_relaxed);
    m_count.store(loop.count, std::memory_order_relaxed);
    m_threads.store(threads, std::memory_order_relaxed);
    m_pieces.store(static_cast<std::uint32_t>(pieces), std::memory_order_relaxed);
    m_controlWord.store(loop.controlWord, std::memory_order_relaxed);
    m_done.store(0, std::memory_order_relaxed);
    const std::uint64_t job = ++m_job;
    for (int seat = 0; seat < threads; ++seat)
        m_seats[seat].left.store(job << pieceBits | static_cast<std::uint64_t>(pieces),
                                 std::memory_order_release);
    for (int number = 1; number < threads && number < m_started; ++number) {
        Seat& seat = m_seats[number];
        seat.call.store(static_cast<std::uint32_t>(job));
        if (seat.asleep.load() != 0 && seat.asleep.exchange(0) != 0)
            wake(seat.call);
    }
    isInside = true;
    std::uint64_t longest = 0;
    const std::uint32_t own = takePieces(0, job, &longest);
    isInside = false;
    const auto total = static_cast<std::uint32_t>(pieces * threads);
    if (own == total)
        return;
    // A thread that has a core needs for a piece about what this one needed.
    std::uint64_t cycles = 2 * longest;
    cycles = cycles < leastSpin ? leastSpin : cycles > mostBarrier ? mostBarrier : cycles;
    waitForOthers(total - own, cycles);
}

namespace {

// More callers at once than this run their loops alone.
constexpr std::size_t places = 64;

std::atomic<ThreadTeam*> idle[places];
std::atomic<std::size_t> made{0};
std::atomic<int> keepers{0};
std::atomic<bool> forkIsHeeded{false};

// The threads stayed with the parent. Its teams are left alone.
void forgetTeams() {
    for (std::atomic<ThreadTeam*>& one : idle)
        one.store(nullptr);
    made.store(0);
}

void endIdleTeams() {
    for (std::atomic<ThreadTeam*>& one : idle)
        if (ThreadTeam* team = one.exchange(nullptr)) {
            delete team;
            made.fetch_sub(1);
        }
}

} // namespace

TeamInUse::TeamInUse() {
    for (m_place = 0; m_place < places; ++m_place) {
        if (idle[m_place].load(std::memory_order_relaxed) == nullptr)
            continue;
        m_team = idle[m_place].exchange(nullptr, std::memory_order_acquire);
        if (m_team)
            return;
    }
    if (made.fetch_add(1) >= places) {
        made.fetch_sub(1);
        return;
    }
    if (!forkIsHeeded.exchange(true))
        pthread_atfork(nullptr, nullptr, forgetTeams);
    m_team = new ThreadTeam;
    m_place = 0;
}

TeamInUse::~TeamInUse() {
    if (!m_team)
        return;
    for (std::size_t i = 0; i < places; ++i) {
        ThreadTeam* nobody = nullptr;
        if (idle[(m_place + i) % places].compare_exchange_strong(nobody, m_team,
                                                                 std::memory_order_release))
            return;
    }
}

KeepTeams::KeepTeams() {
    keepers.fetch_add(1);
}

KeepTeams::~KeepTeams() {
    if (keepers.fetch_sub(1) == 1)
        endIdleTeams();
}

} // namespace fw::runtime
