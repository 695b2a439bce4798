// Which times count: sequences of times, and a clock that the samples move.
#include "common/test.h"
#include "session/measured_time.h"

using namespace fw;

namespace {

MeasuredTime timeOf(std::initializer_list<double> times, int repeated = 1) {
    MeasuredTime out;
    for (int i = 0; i < repeated; ++i)
        for (const double time : times)
            out.add(time);
    return out;
}

constexpr double grain = 1;

} // namespace

class TestMeasuredTime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void figures() {
        const MeasuredTime none;
        QCOMPARE(none.median(), 0.0);
        QCOMPARE(none.minimum(), 0.0);
        QVERIFY(!none.disturbed(grain));
        const MeasuredTime some = timeOf({5, 1, 3, 2, 4});
        QCOMPARE(some.count(), std::size_t(5));
        QCOMPARE(some.minimum(), 1.0);
        QCOMPARE(some.median(), 3.0);
        QCOMPARE(some.quantile(1), 5.0);
        QCOMPARE(some.spread(), 2.0);
        QCOMPARE(some.drift(), 4.0);
        MeasuredTime twice = some;
        twice.add(some);
        QCOMPARE(twice.count(), std::size_t(10));
        QCOMPARE(twice.drift(), 3.0); // parts of (5 1), (3 2), (4 5), (1 3), (2 4)
    }

    void verdicts_data() {
        QTest::addColumn<MeasuredTime>("time");
        QTest::addColumn<bool>("disturbed");
        QTest::newRow("the same each time") << timeOf({100}, 20) << false;
        QTest::newRow("a tenth more or less") << timeOf({100, 110, 95, 104, 98}, 8) << false;
        // One in five loses its core for milliseconds: the median is that of the others.
        QTest::newRow("now and then") << timeOf({6, 6.2, 6.1, 6, 4000}, 20) << false;
        QTest::newRow("mostly") << timeOf({6, 22000, 22000, 22000, 21000}, 20) << true;
        QTest::newRow("once quiet") << timeOf({22000, 22000, 6, 22000, 21000}) << true;
        MeasuredTime changed = timeOf({100}, 40);
        changed.add(timeOf({170}, 40));
        QTest::newRow("from the middle on") << changed << true;
        // The clock itself, and the first touch of a cache.
        QTest::newRow("less than a microsecond") << timeOf({0.2, 0.4, 0.5, 0.5, 0.6}, 4) << false;
    }
    void verdicts() {
        QFETCH(MeasuredTime, time);
        QTEST(time.disturbed(grain), "disturbed");
    }

    void quietTimesAreTakenOnce() {
        double clock = 0;
        int taken = 0;
        const auto times = measureTimes(
            2, {.seconds = 1, .now = [&] { return clock; }, .waited = [] { return 0.0; }}, {},
            [&](std::vector<double>& sample) -> Status {
                clock += 0.01;
                ++taken;
                sample = {10, 20};
                return {};
            });
        QVERIFY(times.ok());
        QVERIFY(taken >= 99 && taken <= 101);
        QCOMPARE((*times)[0].median(), 10.0);
        QCOMPARE((*times)[1].median(), 20.0);
    }

    // A neighbour that leaves after the first attempt.
    void disturbedTimesAreTakenAgain() {
        double clock = 0;
        const auto times = measureTimes(
            2, {.seconds = 1, .now = [&] { return clock; }, .waited = [] { return 0.0; }}, {},
            [&](std::vector<double>& sample) -> Status {
                clock += 0.01;
                const bool busy = clock < 1 && int(clock * 100) % 4 != 0;
                sample = {busy ? 22000.0 : 6.0, 50};
                return {};
            });
        QVERIFY(times.ok());
        QVERIFY(clock > 1.9 && clock < 2.2);
        QVERIFY(!(*times)[0].disturbed(grain));
        QCOMPARE((*times)[0].median(), 6.0);
        QCOMPARE((*times)[1].median(), 50.0);
    }

    // One that stays: an end, and the mark.
    void disturbedTimesAreMarked() {
        double clock = 0;
        int taken = 0;
        const auto times = measureTimes(1,
                                        {.seconds = 1,
                                         .attempts = 3,
                                         .now = [&] { return clock; },
                                         .waited = [] { return 0.0; }},
                                        {}, [&](std::vector<double>& sample) -> Status {
                                            clock += 0.01;
                                            sample = {++taken % 4 == 0 ? 6.0 : 22000.0};
                                            return {};
                                        });
        QVERIFY(times.ok());
        QVERIFY(clock > 2.9 && clock < 3.2);
        QVERIFY((*times)[0].disturbed(grain));
        QCOMPARE((*times)[0].minimum(), 6.0);
    }

    // Every sample alike, but the threads had no core for a third of the time.
    void waitingForACoreDisturbs() {
        double clock = 0, waited = 0;
        const auto times = measureTimes(
            1, {.seconds = 1, .now = [&] { return clock; }, .waited = [&] { return waited; }}, {},
            [&](std::vector<double>& sample) -> Status {
                clock += 0.01;
                waited += clock < 1 ? 0.003 : 0;
                sample = {290};
                return {};
            });
        QVERIFY(times.ok());
        QVERIFY(clock > 1.9 && clock < 2.2);
        QVERIFY(!(*times)[0].disturbed(grain));
        MeasuredTime joined = timeOf({290}, 9);
        MeasuredTime later = timeOf({290}, 9);
        joined.sawWaiting(0, 1);
        later.sawWaiting(0.3, 1);
        QVERIFY(later.disturbed(grain));
        joined.add(later); // of two seconds together
        QVERIFY(!joined.disturbed(grain));
        joined.add(later);
        joined.add(later);
        QVERIFY(joined.disturbed(grain));
    }

    void longSamplesAreTakenFiveTimes() {
        double clock = 0;
        int taken = 0;
        QVERIFY(measureTimes(
                    1, {.seconds = 1, .now = [&] { return clock; }, .waited = [] { return 0.0; }},
                    {},
                    [&](std::vector<double>& sample) -> Status {
                        clock += 100;
                        ++taken;
                        sample = {1e8};
                        return {};
                    })
                    .ok());
        QCOMPARE(taken, 5);
    }

    void refusalsAndCancelling() {
        const auto refused = measureTimes(1, {}, {}, [](std::vector<double>&) -> Status {
            return makeDiag(DiagCode::NotRunnable, "no");
        });
        QVERIFY(!refused.ok());
        QCOMPARE(refused.diag().code, DiagCode::NotRunnable);
        CancelToken token;
        int taken = 0;
        const auto cancelled =
            measureTimes(1, {}, token, [&](std::vector<double>& sample) -> Status {
                if (++taken == 3)
                    token.cancel();
                sample = {1};
                return {};
            });
        QVERIFY(!cancelled.ok());
        QCOMPARE(cancelled.diag().code, DiagCode::Cancelled);
        QCOMPARE(taken, 3);
    }
};

FW_TEST(TestMeasuredTime, QCoreApplication)
#include "test_measured_time.moc"
