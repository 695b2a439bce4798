// parallelFor covers every iteration exactly once, nests serially, and sets the floating-point mode
// of all threads.
#include "common/test.h"
#include "runtime/parallel.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>
#include <xmmintrin.h>

using namespace fw::runtime;

namespace {

void countIterations(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
    auto* counters = static_cast<std::atomic<int>*>(context->buffers[0]);
    auto* calls = static_cast<std::atomic<int>*>(context->buffers[1]);
    ++*calls;
    for (std::int64_t i = begin; i < end; ++i)
        ++counters[i];
}

void nested(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
        context->parallel_for(context, countIterations, 3, 1);
}

void halveSmallest(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
    auto* values = static_cast<volatile float*>(context->buffers[0]);
    for (std::int64_t i = begin; i < end; ++i)
        values[i] = values[i] * 0.5f;
}

std::atomic<int> begun{0};
std::atomic<bool> mayEnd{false};

void waitAndCount(const fw_kernel_context* context, std::int64_t begin, std::int64_t end) {
    ++begun;
    while (!mayEnd)
        std::this_thread::yield();
    countIterations(context, begin, end);
}

struct TwoBuffers {
    ParallelSettings settings;
    void* buffers[2] = {};
    fw_kernel_context context{buffers, nullptr, parallelFor, &settings};
};

} // namespace

class TestParallel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyIterationOnce() {
        for (int threads : {1, 2, 3, 5}) {
            for (std::int64_t count : {0, 1, 2, 3, 7, 64, 1001}) {
                for (std::int64_t grain : {0, 1, 2, 10, 5000}) {
                    std::vector<std::atomic<int>> counters(std::size_t(count) + 1);
                    std::atomic<int> calls = 0;
                    TwoBuffers c;
                    c.settings.threads = threads;
                    c.buffers[0] = counters.data();
                    c.buffers[1] = &calls;
                    parallelFor(&c.context, countIterations, count, grain);
                    for (std::int64_t i = 0; i < count; ++i)
                        QCOMPARE(counters[std::size_t(i)].load(), 1);
                    QCOMPARE(counters[std::size_t(count)].load(), 0);
                    QVERIFY(calls <= 4 * threads);
                    if (threads == 1 || grain >= count)
                        QVERIFY(calls <= 1);
#if !defined(__SANITIZE_THREAD__)
                    else if (threads == 2 && count >= 64 && grain <= 10)
                        QVERIFY(calls.load() >= 2);
#endif
                }
            }
        }
    }

    void nestedCallsAreSerial() {
        std::vector<std::atomic<int>> counters(3);
        std::atomic<int> calls = 0;
        TwoBuffers c;
        c.settings.threads = 2;
        c.buffers[0] = counters.data();
        c.buffers[1] = &calls;
        parallelFor(&c.context, nested, 10, 1);
        QCOMPARE(counters[0].load() + counters[1].load() + counters[2].load(), 30);
#if !defined(__SANITIZE_THREAD__)
        QVERIFY(calls.load() >= 10);
#endif
    }

    // The loop is over when what the pool began is, and the pool is told of.
    void aPoolThatReturnsEarly() {
        std::vector<std::atomic<int>> counters(10);
        std::atomic<int> calls = 0;
        TwoBuffers c;
        c.settings.threads = 3;
        c.settings.pool.threads = 3;
        c.settings.pool.run = [](void*, std::int32_t count, void (*share)(void*, std::int32_t),
                                 void* argument) {
            for (std::int32_t i = 0; i < count; ++i)
                std::thread([=] { share(argument, i); }).detach();
            while (begun < count)
                std::this_thread::yield();
            std::thread([] {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                mayEnd = true;
            }).detach();
        };
        c.buffers[0] = counters.data();
        c.buffers[1] = &calls;
        parallelFor(&c.context, waitAndCount, 10, 1);
        for (const auto& counter : counters)
            QCOMPARE(counter.load(), 1);
        QCOMPARE(c.settings.poolFault.shares, 3);
        QCOMPARE(c.settings.poolFault.leftOut, 0);
        QVERIFY(!c.settings.poolFault.isAgain);
    }

    void denormalsOnAllThreads() {
        for (const bool flush : {false, true}) {
            std::vector<float> values(64, std::numeric_limits<float>::min());
            TwoBuffers c;
            c.settings.threads = 2;
            c.settings.controlWord = flush ? flushDenormalsWord : keepDenormalsWord;
            c.buffers[0] = values.data();
            const unsigned before = _mm_getcsr();
            {
                const FloatingPointMode mode(c.settings.controlWord);
                parallelFor(&c.context, halveSmallest, 64, 1);
            }
            QCOMPARE(_mm_getcsr(), before);
            for (float value : values)
                QCOMPARE(value, flush ? 0.0f : std::numeric_limits<float>::min() / 2);
        }
    }
};

FW_TEST(TestParallel, QCoreApplication)
#include "test_parallel.moc"
