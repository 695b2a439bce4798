// What our code and every library reach on this machine in each class of work: one call of each,
// measured once and kept with the other figures of the machine (strategy/machine.h).
#pragma once

#include "session/pipeline.h"

namespace fw {

struct MeasuredRates {
    std::map<std::string, double> rates; // by rateName() and callName()
    bool disturbed = false;              // by other work: not worth to be kept
};

// Of the libraries that the target may use and that are there, beside our code. A call that cannot
// be made has no rate. Cancelled if that was asked for. Some tenths of a second.
struct MeasuringSteps { // that are told as progress; those of all that is measured
    std::size_t done = 0;
    std::size_t total = 0; // 0: there is nothing else
};
Result<MeasuredRates> measureRates(const Target& target, const Context& context,
                                   MeasuringSteps steps = {});

// All figures of the machine again, where they are measured: `fw doctor --machine`.
Status measureMachine(const Target& target, const Context& context);

// Before a plan: measures them if the cost of libraries will be compared and nothing is known.
Status calibrate(const Target& target, const Context& context);

} // namespace fw
