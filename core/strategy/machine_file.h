// The file in which the figures of this machine are kept: a name and a number a line, as in a
// profile. Behind one that was measured beside other work stands `disturbed` and when that was:
//
//     fork_us 131 disturbed 1764190000
//
// It is used for a while, so that not every command measures again, and then measured anew.
#pragma once

#include "strategy/machine_profile.h"

#include <cstdint>

namespace fw {

// Nothing that a machine does lies beyond these, in any unit of a profile.
inline constexpr double leastFigure = 1e-6, mostFigure = 1e6;
bool isFigure(double value);        // finite, within these
bool isRate(std::string_view name); // "maker.class" or "maker.call_us"

struct KeptFigures {
    MachineProfile profile = {0, 0, 0, 0, 0, 0, {}};            // 0: not measured
    std::map<std::string, std::int64_t, std::less<>> disturbed; // by name: seconds since 1970
    // Of what was disturbed, too old to be used: a measurement that is disturbed again is held
    // against it.
    std::map<std::string, double, std::less<>> before;

    // 0 if it is not known.
    double find(std::string_view name) const;
    void set(const std::string& name, double value, bool isDisturbed, std::int64_t now);
    // Forgets what was disturbed and is older than ten minutes, or not of the past. Rates are
    // measured together and forgotten so.
    void forgetOld(std::int64_t now);

    std::string text() const;
};

// Lines that are none, numbers that are not finite or beyond what machines do: passed over, with
// one warning that says the first (Syntax).
KeptFigures readFigures(std::string_view text, const std::string& file, Diags& warnings);

} // namespace fw
