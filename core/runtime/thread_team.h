// Threads that share loops with the thread that runs a model.
//
// A loop is cut into one share a thread, the same rows for the same thread in every run, which
// keeps its caches warm, and every share into a few pieces. A thread takes the pieces of its own
// share and then what is left of the others', so a thread that gets no core holds up nobody: the
// caller does its work. Only a piece that was begun is waited for. Waiting threads spin for a
// bounded time, less where they see that others need the core, and sleep then. None is woken on the
// caller's core, where some kernels would put it: there it waits until the loop is over. Which
// thread computes a piece must not matter: pieces are ranges of iterations that write apart.
#pragma once

#include "runtime/kernel_abi.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

namespace fw::runtime {

using LoopBody = void (*)(const fw_kernel_context*, std::int64_t begin, std::int64_t end);

struct Loop {
    const fw_kernel_context* context = nullptr;
    LoopBody body = nullptr;
    std::int64_t count = 0;
    std::int64_t grain = 1;        // least iterations of a piece
    std::uint32_t controlWord = 0; // MXCSR of every thread
};

class ThreadTeam {
public:
    static constexpr int mostThreads = 256;

    ThreadTeam() = default;
    ~ThreadTeam(); // ends the threads
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    // The loop on this thread and `threads - 1` others, which are started when they are first
    // wanted; where none can be started the caller does everything. 2 <= threads <= mostThreads,
    // threads <= loop.count. One caller at a time.
    void run(const Loop& loop, int threads);

    // True on a thread that computes a piece of a loop, of any team.
    static bool inside();

private:
    struct alignas(64) Seat {
        std::atomic<std::uint64_t> left{0}; // job << pieceBits | pieces of this share to be had
        std::atomic<std::uint32_t> call{0}; // the low bits of the last job of this seat; a futex
        std::atomic<std::uint32_t> asleep{0};
    };
    struct Member {
        ThreadTeam* team = nullptr;
        int seat = 0;
        pthread_t thread = {};
    };

    void start(int threads);
    void keepOffCallersCore();
    static void* memberMain(void* member);
    void serve(int seat);
    bool spinForCall(const Seat& seat, std::uint32_t seen, std::uint64_t& limit) const;
    std::uint32_t takePieces(int seat, std::uint64_t job, std::uint64_t* longest);
    void waitForOthers(std::uint32_t wanted, std::uint64_t cycles);

    Seat m_seats[mostThreads];
    Member m_members[mostThreads];
    int m_started = 1;      // seats that have a thread; the first one is the caller's
    bool m_noMore = false;  // threads could be started
    int m_callersCore = -1; // that the members keep off
    std::uint64_t m_job = 0;
    std::atomic<bool> m_ending{false};
    // The loop. A thread that comes late may read the next one's, but then takes no piece of it.
    std::atomic<const fw_kernel_context*> m_context{nullptr};
    std::atomic<LoopBody> m_body{nullptr};
    std::atomic<std::int64_t> m_count{0};
    std::atomic<std::int32_t> m_threads{0};
    std::atomic<std::uint32_t> m_pieces{0}; // of each share
    std::atomic<std::uint32_t> m_controlWord{0};
    alignas(64) std::atomic<std::uint32_t> m_done{0}; // pieces of the others; a futex
};

// A team that nobody else uses, until it goes out of scope; null where every one is in use.
class TeamInUse {
public:
    TeamInUse();
    ~TeamInUse();
    TeamInUse(const TeamInUse&) = delete;
    TeamInUse& operator=(const TeamInUse&) = delete;
    ThreadTeam* get() const { return m_team; }

private:
    ThreadTeam* m_team = nullptr;
    std::size_t m_place = 0;
};

// While one lives, teams are kept for the next loop; with the last their threads end, so that a
// library may be unloaded once its models are closed.
class KeepTeams {
public:
    KeepTeams();
    ~KeepTeams();
    KeepTeams(const KeepTeams&) = delete;
    KeepTeams& operator=(const KeepTeams&) = delete;
};

} // namespace fw::runtime
