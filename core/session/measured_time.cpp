#include "session/measured_time.h"

#include "base/waiting.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace fw {

namespace {

double steadySeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

void MeasuredTime::add(const MeasuredTime& later) {
    m_times.insert(m_times.end(), later.m_times.begin(), later.m_times.end());
    sawWaiting(later.m_waited, later.m_took);
}

double MeasuredTime::minimum() const {
    return m_times.empty() ? 0 : *std::min_element(m_times.begin(), m_times.end());
}

double MeasuredTime::quantile(double q) const {
    if (m_times.empty())
        return 0;
    std::vector<double> sorted = m_times;
    const std::ptrdiff_t place = std::lround(q * static_cast<double>(sorted.size() - 1));
    std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
    return sorted[static_cast<std::size_t>(place)];
}

double MeasuredTime::spread() const {
    const double least = minimum();
    return least > 0 ? median() / least - 1 : 0;
}

double MeasuredTime::drift() const {
    const std::size_t pieces = std::min(parts, m_times.size());
    double least = 0, most = 0;
    for (std::size_t i = 0; i < pieces; ++i) {
        const auto begin = m_times.begin() + static_cast<std::ptrdiff_t>(i * count() / pieces);
        const auto end = m_times.begin() + static_cast<std::ptrdiff_t>((i + 1) * count() / pieces);
        const double minimum = *std::min_element(begin, end);
        least = i == 0 ? minimum : std::min(least, minimum);
        most = std::max(most, minimum);
    }
    return least > 0 ? most / least - 1 : 0;
}

bool MeasuredTime::disturbed(double grain) const {
    const double least = minimum();
    return waited() > mostWaited || least * spread() > mostSpread * least + grain ||
           least * drift() > mostDrift * least + grain;
}

Result<std::vector<MeasuredTime>> measureTimes(std::size_t figures, const MeasureEffort& effort,
                                               const CancelToken& cancel, const TakeSample& take) {
    const std::function<double()> now = effort.now ? effort.now : steadySeconds;
    const std::function<double()> waited = effort.waited ? effort.waited : secondsWaitedForCores;
    std::vector<MeasuredTime> out;
    std::vector<double> times;
    for (int attempt = 0; attempt < effort.attempts; ++attempt) {
        std::vector<MeasuredTime> next(figures);
        const double before = waited();
        const double start = now();
        for (std::size_t i = 0;
             i < effort.least || (now() - start < effort.seconds && i < effort.most); ++i) {
            if (cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "the measurement was cancelled");
            FW_CHECK(take(times));
            for (std::size_t f = 0; f < figures; ++f)
                next[f].add(times[f]);
        }
        const double took = now() - start;
        const double lost = waited() - before;
        for (MeasuredTime& figure : next)
            figure.sawWaiting(lost, took);
        if (out.empty())
            out.resize(figures);
        bool again = false;
        for (std::size_t f = 0; f < figures; ++f) {
            if (attempt == 0 ||
                (out[f].disturbed(effort.grain) &&
                 (!next[f].disturbed(effort.grain) || next[f].median() < out[f].median())))
                out[f] = std::move(next[f]);
            again = again || out[f].disturbed(effort.grain);
        }
        if (!again)
            break;
    }
    return out;
}

} // namespace fw
