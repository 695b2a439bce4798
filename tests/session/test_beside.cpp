// Beside busy processes: they end with us, a loop of two threads does not wait for a core that
// others have, and `bench` measures it. Run serially; ratios are loose, since the machine is
// others' as well.
#include "common/test.h"
#include "runtime/parallel.h"
#include "session/busy_neighbours.h"
#include "session/document.h"
#include "session/measure.h"
#include "session/measured_time.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fw;

namespace {

// Some twenty microseconds of arithmetic.
void work(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
    auto* values = static_cast<float*>(context->buffers[0]);
    for (std::int64_t i = begin; i < end; ++i)
        for (int k = 0; k < 1000; ++k)
            values[i] = values[i] * 0.999F + 0.5F;
}

// Of one loop, in microseconds, over many.
double meanUs(int threads) {
    std::vector<float> values(16);
    void* const buffers[] = {values.data()};
    const runtime::ParallelSettings settings{threads};
    const fw_kernel_context context{buffers, nullptr, runtime::parallelFor, &settings};
    constexpr int loops = 3000;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < loops; ++i)
        runtime::parallelFor(&context, work, 16, 1);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
               .count() /
           loops;
}

bool ends(pid_t pid) {
    for (int i = 0; i < 500; ++i) {
        if (::kill(pid, 0) != 0 && errno == ESRCH)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

} // namespace

class TestBeside : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neighboursEndWithTheirOwner() {
        std::vector<pid_t> pids;
        {
            BusyNeighbours neighbours;
            QVERIFY(neighbours.start(2).ok());
            pids = neighbours.pids();
            QCOMPARE(pids.size(), std::size_t(2));
            for (const pid_t pid : pids)
                QCOMPARE(::kill(pid, 0), 0);
        }
        for (const pid_t pid : pids)
            QVERIFY(ends(pid));
    }

    void neighboursEndWithAProcessThatIsKilled() {
        int channel[2];
        QCOMPARE(::pipe(channel), 0);
        const pid_t owner = ::fork();
        if (owner == 0) {
            BusyNeighbours neighbours;
            if (!neighbours.start(1).ok())
                ::_exit(1);
            const pid_t pid = neighbours.pids()[0];
            if (::write(channel[1], &pid, sizeof pid) != sizeof pid)
                ::_exit(1);
            for (;;)
                ::pause();
        }
        pid_t pid = 0;
        QCOMPARE(::read(channel[0], &pid, sizeof pid), ssize_t(sizeof pid));
        QCOMPARE(::kill(pid, 0), 0);
        QCOMPARE(::kill(owner, SIGKILL), 0);
        QCOMPARE(::waitpid(owner, nullptr, 0), owner);
        // Somebody has to reap it; where nobody does it stays, but without a core.
        bool ended = ends(pid);
        if (!ended) {
            QFile status(QStringLiteral("/proc/%1/stat").arg(pid));
            ended = !status.open(QIODevice::ReadOnly) || status.readAll().contains(") Z ");
        }
        ::close(channel[0]);
        ::close(channel[1]);
        QVERIFY(ended);
    }

    // With threads that wait by spinning a loop costs milliseconds here, a hundred times as much.
    void aLoopDoesNotWaitForACore() {
        const int cores = static_cast<int>(std::max(2U, std::thread::hardware_concurrency()));
        const runtime::KeepTeams keep;
        BusyNeighbours neighbours;
        QVERIFY(neighbours.start(cores).ok());
        std::vector<double> alone, shared;
        for (int round = 0; round < 3; ++round) {
            alone.push_back(meanUs(1));
            shared.push_back(meanUs(2));
        }
        const double one = *std::min_element(alone.begin(), alone.end());
        const double two = *std::min_element(shared.begin(), shared.end());
        QVERIFY2(two < 6 * one, qPrintable(QString("%1 us, alone %2 us").arg(two).arg(one)));
    }

    void benchMeasuresBeside() {
        snapshot::Arguments arguments;
        arguments.model = FW_SOURCE_DIR "/samples/mlp";
        arguments.target = "x86-64 -libs= -threads=2";
        Pipeline pipeline(inputsOf(arguments));
        arguments.seconds = 0.05;
        std::vector<std::string> notices;
        const auto plain = benchModel(pipeline, arguments, {}, notices);
        QVERIFY(plain.ok());
        QVERIFY(!plain->beside && !plain->besideMs);
        arguments.beside = 1;
        const auto beside = benchModel(pipeline, arguments, {}, notices);
        QVERIFY(beside.ok());
        QCOMPARE(beside->beside, std::optional<std::int64_t>(1));
        QVERIFY(beside->besideMs && *beside->besideMs > 0 && beside->medianMs > 0);
    }
};

FW_TEST(TestBeside, QCoreApplication)
#include "test_beside.moc"
