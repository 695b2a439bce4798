// At which sizes of a free dimension a contest is measured.
#pragma once

#include "session/contests.h"
#include "session/implementation_race.h"
#include "session/judgement.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fw {

// A contender, which may compute the group at some sizes only.
struct Guarded {
    Contender contender;
    std::optional<Expr> when;
    bool wrong = false; // it computes something else
};

// What was measured at one size.
struct MeasuredSize {
    std::string chosen, fastest; // before, and of those measured; empty: not known
    double chosenUs = 0, fastestUs = 0;
    std::map<std::string, double> us;
};

// A contest while it is measured.
struct RunningContest {
    const Contest& contest;
    std::vector<Guarded> contenders = {};
    std::map<std::int64_t, MeasuredSize> measured = {}; // by size; without a free dimension at 0
};

bool holdsAt(const std::optional<Expr>& when, const std::string& dim, std::int64_t size);
// What computes the group at this size as it is planned.
std::string chosenAt(const Contest& contest, std::int64_t size);

// Sizes of a range where something may change, the least first: its ends, powers of two between
// them, both sides of what a guard asks.
std::set<std::int64_t> firstSizes(const RunningContest& run, const snapshot::SizeRange& range);
// Between two sizes with different implementations the one in the middle, unless it hardly matters
// which of them computes what lies between.
std::optional<std::int64_t> nextSize(const RunningContest& run);

} // namespace fw
