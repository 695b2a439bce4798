// A ceiling of this machine, measured, and whether other work disturbed it.
#pragma once

#include "strategy/machine.h"

namespace fw {

struct MeasuredCeiling {
    double value = 0; // in the unit of its row
    // Threads waited for a core, runs that do the same took unlike times, or the value is none that
    // a machine with free cores has: it may be far from what the machine does at best.
    bool disturbed = false;
};

// Measured once more where it was disturbed; the better of both counts.
MeasuredCeiling measuredCeiling(const Target& host, Ceiling ceiling);

} // namespace fw
