// A ceiling of this machine, measured, and whether other work disturbed it.
#pragma once

#include "strategy/machine_profile.h"

namespace fw {

struct MeasuredCeiling {
    double value = 0; // in the unit of its row
    // Threads waited for a core, runs that do the same took unlike times, or the value is none that
    // a machine with free cores has: it may be far from what the machine does at best.
    bool disturbed = false;
};

// Runs that do the same, in seconds: the best and the median of them, how long all took, and how
// much of that threads of this process waited for a core.
struct MeasuredRuns {
    double best = 0, median = 0, took = 0, waited = 0;

    // For more than a fifth of the time, or half of the runs took half as long again as the best
    // and more than clock and caches do to them.
    bool disturbed() const;
};

// Microseconds. Threads that have a core meet within a few; beyond this they were kept from it.
inline constexpr double mostForkUs = 100;

// Measured once more where it was disturbed; the better of both counts. A millisecond for most, up
// to 60 for memoryGbps. Threads of `host`: how many the fork is measured with.
MeasuredCeiling measuredCeiling(const Target& host, Ceiling ceiling);

} // namespace fw
