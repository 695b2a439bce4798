// A time that was measured several times, and whether it says something about what was measured.
//
// Beside other work a thread loses its core for milliseconds. That shows as spread: the median lies
// far above the minimum, or the minima of parts of the measurement do not repeat each other. Where
// every sample is disturbed alike it shows only in how long the threads of this process waited for
// a core, which the kernel counts. Such a figure is taken again; if it stays so, it is marked as
// disturbed, and decides nothing.
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace fw {

class MeasuredTime {
public:
    // In the order of measuring; any unit.
    void add(double time) { m_times.push_back(time); }
    void add(const MeasuredTime& later);

    std::size_t count() const { return m_times.size(); }
    // 0 without times.
    double minimum() const;
    double median() const { return quantile(0.5); }
    double quantile(double q) const;
    double iqr() const { return quantile(0.75) - quantile(0.25); }
    // How far the median lies above the minimum, relative to it.
    double spread() const;
    // How far the largest of the minima of `parts` equal parts lies above the least.
    double drift() const;

    // How long the threads of this process together waited for a core, of the time that measuring
    // took; both add up. In seconds.
    void sawWaiting(double waited, double took) {
        m_waited += waited;
        m_took += took;
    }
    double waited() const { return m_took > 0 ? m_waited / m_took : 0; }

    static constexpr std::size_t parts = 5;
    // Times repeat within these where nothing else runs. `grain` is added to the minimum: what the
    // clock and the first touch of a cache cost, in the unit of the times.
    static constexpr double mostSpread = 0.5, mostDrift = 0.25, mostWaited = 0.2;
    bool disturbed(double grain) const;

private:
    std::vector<double> m_times;
    double m_waited = 0;
    double m_took = 0;
};

// How long to measure, by which clock.
struct MeasureEffort {
    double seconds = 1;               // of one attempt
    std::size_t least = 5;            // samples of an attempt, however long they take
    std::size_t most = 2000;          // however short
    int attempts = 3;                 // while figures are disturbed
    double grain = 1;                 // of MeasuredTime::disturbed()
    std::function<double()> now = {}; // seconds; none: the steady clock
    // Seconds that threads of this process have waited for a core so far; none: the kernel's count.
    std::function<double()> waited = {};
};

// Takes samples of `figures` times at once, each sample the times of one run, in order. A figure
// that is disturbed is measured again with the others, and the attempt that disturbed it least
// stands. Cancelled, or refused as the first sample that is.
using TakeSample = std::function<Status(std::vector<double>& times)>;
Result<std::vector<MeasuredTime>> measureTimes(std::size_t figures, const MeasureEffort& effort,
                                               const CancelToken& cancel, const TakeSample& take);

} // namespace fw
