// A team of threads: every piece once, the share of a thread that does not come is taken by others,
// loops of any size one after another, several callers at once, a child after fork.
#include "common/test.h"
#include "runtime/openmp.h"
#include "runtime/parallel.h"

#include <atomic>
#include <csignal>
#include <sched.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace fw::runtime;

namespace {

struct Pieces {
    std::atomic<int> begun{0};
    std::atomic<int> done{0};
    std::atomic<int> ofCaller{0};
    std::atomic<bool> gaveUp{false};
    sigset_t blocked = {}; // by the other thread
    std::thread::id caller = std::this_thread::get_id();
};

// The first piece that another thread takes is held until all the others are done.
void holdOthers(const fw_kernel_context* context, std::int64_t, std::int64_t) {
    auto& pieces = *static_cast<Pieces*>(context->buffers[0]);
    ++pieces.begun;
    if (std::this_thread::get_id() == pieces.caller) {
        // Until the other thread has come, so that there is something to take from it.
        for (int i = 0; pieces.begun < 2 && i < 2000; ++i)
            usleep(1000);
        ++pieces.ofCaller;
    } else {
        pthread_sigmask(SIG_BLOCK, nullptr, &pieces.blocked);
        for (int i = 0; pieces.done < 7 && !pieces.gaveUp; ++i) {
            usleep(1000);
            pieces.gaveUp = i > 5000;
        }
    }
    ++pieces.done;
}

// An OpenMP runtime whose teams are one thread.
namespace one {
bool pauses = false;
void parallel(void (*function)(void*), void* data, unsigned, unsigned) {
    function(data);
}
int nothing() {
    return 0;
}
int single() {
    return 1;
}
void set(int) {}
int pause(int, int) {
    return pauses ? 0 : -1;
}
} // namespace one

struct Cores {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> others{0};
    cpu_set_t allowed = {}; // of another thread
};

// Long enough for a thread that sleeps to come.
void noteCores(const fw_kernel_context* context, std::int64_t, std::int64_t) {
    auto& cores = *static_cast<Cores*>(context->buffers[0]);
    if (std::this_thread::get_id() == cores.caller)
        for (int i = 0; cores.others == 0 && i < 200; ++i)
            usleep(1000);
    else if (sched_getaffinity(0, sizeof cores.allowed, &cores.allowed) == 0)
        ++cores.others;
}

void addOne(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
    auto* counters = static_cast<std::int32_t*>(context->buffers[0]);
    for (std::int64_t i = begin; i < end; ++i)
        ++counters[i];
}

struct OneBuffer {
    ParallelSettings settings;
    void* buffers[1] = {};
    fw_kernel_context context{buffers, nullptr, parallelFor, &settings};
};

// How often every element was counted, or -1 if not all alike.
int countedAll(OneBuffer& c, std::size_t size, int times) {
    std::vector<std::int32_t> counters(size);
    c.buffers[0] = counters.data();
    for (int i = 0; i < times; ++i)
        parallelFor(&c.context, addOne, static_cast<std::int64_t>(size), 1);
    for (const std::int32_t counter : counters)
        if (counter != counters[0])
            return -1;
    return counters[0];
}

} // namespace

class TestThreadTeam : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Woken there, it would wait until the caller is done.
    void othersKeepOffTheCoreOfTheCaller() {
        cpu_set_t own;
        QCOMPARE(sched_getaffinity(0, sizeof own, &own), 0);
        if (CPU_COUNT(&own) < 2)
            QSKIP("the other thread has no core to go to");
        std::set<int> seen; // cores of the caller
        for (int attempt = 0; attempt < 200 && seen.size() < 2; ++attempt) {
            unsigned core = 0; // the caller goes to the first allowed one, then to the second
            for (int passed = 0; !CPU_ISSET(core, &own) || passed++ < attempt % 2;)
                ++core;
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);
            QCOMPARE(sched_setaffinity(0, sizeof own, &own), 0);
            Cores cores;
            OneBuffer c;
            c.settings.threads = 2;
            c.buffers[0] = &cores;
            const int before = sched_getcpu();
            parallelFor(&c.context, noteCores, 2, 1);
            if (before != sched_getcpu() || cores.others == 0)
                continue; // moved meanwhile, or the other one got no core
            QVERIFY(!CPU_ISSET(static_cast<unsigned>(before), &cores.allowed));
            QCOMPARE(CPU_COUNT(&cores.allowed), CPU_COUNT(&own) - 1);
            seen.insert(before);
        }
        QCOMPARE(seen.size(), std::size_t(2)); // and it follows the caller
    }

    void takesTheShareOfAThreadThatIsHeld() {
        Pieces pieces;
        OneBuffer c;
        c.settings.threads = 2;
        c.buffers[0] = &pieces;
        parallelFor(&c.context, holdOthers, 8, 1);
        QVERIFY(!pieces.gaveUp);
        QCOMPARE(pieces.done.load(), 8);
        QCOMPARE(pieces.ofCaller.load(), 7);
        // A program's handlers run on its own threads, but a fault is told where it happens.
        QVERIFY(sigismember(&pieces.blocked, SIGTERM) == 1);
        QVERIFY(sigismember(&pieces.blocked, SIGSEGV) == 0);
    }

    // Late threads of one loop meet the next, which has another length and other threads.
    void loopAfterLoop() {
        OneBuffer c;
        const KeepTeams keep;
        for (int round = 0; round < 4000; ++round) {
            c.settings.threads = 2 + round % 3;
            const std::size_t size = 2 + static_cast<std::size_t>(round * 7 % 61);
            QCOMPARE(countedAll(c, size, 1 + round % 5), 1 + round % 5);
            if (round % 500 == 499) { // and meet it asleep
                const timespec pause = {0, 5'000'000};
                nanosleep(&pause, nullptr);
            }
        }
    }

    // The last loop of a thread that comes late is over, and so is the team.
    void endsWhileThreadsAreOnTheirWay() {
        OneBuffer c;
        for (int round = 0; round < 3000; ++round) {
            const KeepTeams keep;
            c.settings.threads = 2 + round % 3;
            QCOMPARE(countedAll(c, 4, 1 + round % 3), 1 + round % 3);
        }
    }

    void severalCallers() {
        std::atomic<int> wrong = 0;
        std::vector<std::thread> callers;
        for (int caller = 0; caller < 5; ++caller)
            callers.emplace_back([&wrong, caller] {
                OneBuffer c;
                c.settings.threads = 2 + caller % 2;
                for (int round = 0; round < 50; ++round) {
                    const KeepTeams keep; // teams end and begin meanwhile
                    wrong += countedAll(c, 40, 20) != 20;
                }
            });
        for (std::thread& caller : callers)
            caller.join();
        QCOMPARE(wrong.load(), 0);
    }

    // Where the threads of a team stay with the parent a child must not wait for them.
    void childOfATeamThatCannotEnd_data() {
        QTest::addColumn<bool>("has");
        QTest::addColumn<bool>("pauses");
        QTest::addColumn<int>("inChild");
        QTest::newRow("no way to end it") << false << false << 1;
        QTest::newRow("refused") << true << false << 1;
        QTest::newRow("ended") << true << true << 2;
    }

    void childOfATeamThatCannotEnd() {
#if defined(__SANITIZE_THREAD__)
        QSKIP("there libraries have one thread everywhere");
#endif
        QFETCH(const bool, has);
        QFETCH(const bool, pauses);
        QFETCH(const int, inChild);
        one::pauses = pauses;
        const OpenMp openMp{one::parallel,
                            one::nothing,
                            one::single,
                            one::nothing,
                            one::single,
                            one::set,
                            has ? one::pause : nullptr,
                            has ? one::nothing : nullptr};
        int ofChild = 0;
        // What a thread keeps of a team ends with the thread.
        std::thread([&] {
            if (teamFor(openMp, 2) != 2)
                return;
            const pid_t child = fork();
            if (child == 0)
                _exit(teamFor(openMp, 2));
            int status = 0;
            if (waitpid(child, &status, 0) == child && WIFEXITED(status) && teamFor(openMp, 2) == 2)
                ofChild = WEXITSTATUS(status);
        }).join();
        QCOMPARE(ofChild, inChild);
    }

    void childAfterFork() {
        OneBuffer c;
        c.settings.threads = 2;
        const KeepTeams keep;
        QCOMPARE(countedAll(c, 100, 10), 10);
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            {
                const KeepTeams again;
                if (countedAll(c, 100, 10) != 10)
                    _exit(1);
            }
            _exit(0);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY2(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                 qPrintable(QString::number(status)));
        QCOMPARE(countedAll(c, 100, 10), 10);
    }
};

FW_TEST(TestThreadTeam, QCoreApplication)
#include "test_thread_team.moc"
