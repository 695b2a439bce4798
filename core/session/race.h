// Implementations of one group beside each other, each compiled by itself.
#pragma once

#include "session/candidates.h"
#include "session/measured_time.h"

namespace fw {

// One implementation, ready to run: its inputs are set.
struct Contender {
    std::string implementation;
    Apart apart;
    MeasuredTime time; // microseconds

    bool disturbed() const;
};

struct RaceEffort {
    double seconds = 0.5; // all of them together, of one attempt
    int attempts = MeasureEffort().attempts;
};

// In turn, so that noise of the machine hits all, and again if it hit one of them. Those that are
// hopelessly slower than the fastest are looked at once only, but for `always`.
Status race(const std::vector<Contender*>& contenders, std::string_view always,
            const RaceEffort& effort, const Context& context);

} // namespace fw
