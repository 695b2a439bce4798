// Work of one size and of another: how it grows, as an exponent. Processor time, the least of a few
// runs, and growth above the limit is measured again: a busy machine only adds to a time. n^1.3 is
// the goal, which leaves room for sorting. Where the small size lies in a cache and the large one
// does not, the same steps take two or three times as long, on some machines and not on others: a
// row fails from n^1.5 on, and one of milliseconds goes over sizes so far apart, eightfold or more,
// that a step of the caches is little beside them. What takes the square is far beyond it all the
// same.
#pragma once

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <malloc.h>

namespace fw::test {

using Work = std::function<void(int run)>; // `run`: no two are the same

constexpr double growthGoal = 1.3, mostGrowth = 1.5; // exponents

struct GrowthRow {
    std::function<Work(int)> make;
    int small = 0, large = 0, runs = 3;
    double seconds = 2;           // of the large one at most
    double exponent = mostGrowth; // at most
};

// What a run gives back stays with the process, so that the runs behind the first one do not count
// the pages that the system hands out.
inline void keepMemory() {
    constexpr int never = 1 << 30;
    QVERIFY(::mallopt(M_TRIM_THRESHOLD, never) == 1);
    QVERIFY(::mallopt(M_MMAP_THRESHOLD, never) == 1);
}

inline double processSeconds() { // of all threads
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

inline void checkGrowth(const GrowthRow& row) {
    constexpr int mostTries = 4;
    int runs = 0;
    const auto least = [&](const Work& work) {
        double out = 1e9;
        for (int run = 0; run < row.runs && !QTest::currentTestFailed(); ++run) {
            const double start = processSeconds();
            work(++runs);
            out = std::min(out, processSeconds() - start);
        }
        return out;
    };
    const Work one = row.make(row.small), other = row.make(row.large);
    double exponent = 0, before = 1e9, after = 1e9;
    for (int tries = 0; tries < mostTries; ++tries) {
        before = std::min(before, least(one));
        after = std::min(after, least(other));
        if (QTest::currentTestFailed())
            return;
        exponent = std::log(after / before) / std::log(double(row.large) / row.small);
        qInfo("%.0f ms for %d, %.0f ms for %d: n^%.2f, the goal is n^%.1f", before * 1e3, row.small,
              after * 1e3, row.large, exponent, growthGoal);
        if (exponent < row.exponent && after < row.seconds)
            break;
    }
    QVERIFY2(exponent < row.exponent, qPrintable(QString::number(exponent)));
    QVERIFY2(after < row.seconds, qPrintable(QString::number(after)));
}

} // namespace fw::test
