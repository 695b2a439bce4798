// Implementations of one group beside each other, each compiled by itself.
#pragma once

#include "session/candidates.h"
#include "session/measured_time.h"

namespace fw {

// One implementation, ready to run: its inputs are set.
struct Contender {
    std::string implementation;
    Apart apart;
    MeasuredTime time;  // microseconds
    bool raced = false; // more than looked at

    bool disturbed() const;
};

using TimeContender = std::function<Result<MeasuredTime>(Contender&, const MeasureEffort&)>;

struct RaceEffort {
    double seconds = 0.5; // all of them together, of one attempt
    int attempts = MeasureEffort().attempts;
    bool halving = true;     // false: all but the hopeless ones to the end
    TimeContender take = {}; // none: by running it
};

// All are looked at; those that are hopelessly slower than the fastest are out. The others run in
// rounds, in turn, so that noise of the machine hits all, and once more if it hit one of them. All
// rounds take as long; after each the slower half is out, until two are left or the fastest is so
// beyond doubt. `always` stays to the end. Each keeps the times of its last round; those that were
// complete when it is cancelled stay.
Status race(const std::vector<Contender*>& contenders, std::string_view always,
            const RaceEffort& effort, const Context& context);

} // namespace fw
