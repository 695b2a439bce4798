// What a run took beside one that was measured before: for a baseline, and for the plan before.
//
// Groups are paired as those of two plans are (group_pairs.h), so 21 groups that became one are one
// difference, of sums. The spread of a time is what lies between its quartiles. Where the middle
// halves of two times meet, their difference is noise. Two runs whose sizes, types, threads or
// machines differ do not compare, which is a decision with a reason.
#pragma once

#include "base/decision.h"
#include "snapshot/records.h"

namespace fw::snapshot {

// Empty: the runs compare. Verdict `no`: they do not; `note`: what to know.
Decisions notComparable(const ProfileDocument& baseline, const ProfileDocument& run);
TimesComparison compareTimes(const ProfileDocument& baseline, const ProfileDocument& run);
// Of the group of the later run; null: it was not measured.
const GroupDifference* differenceOf(const TimesComparison& times, int group);

// What was measured of the two plans that are compared, each by the numbers of its groups.
void addTimes(DiffDocument& diff, const ProfileDocument& before, const ProfileDocument& after);
// The sums of the changes that have one of these groups, and of what stayed as it was; nothing of
// what is not told of all of them.
ChangeRecord sumOf(const DiffDocument& diff, const std::vector<int>& groups);

// For people: "-12 µs (-18 %)"; "±" where it lies within the noise. Empty: there is none.
std::string differenceText(const TimeDifference& difference);
// "210 µs → 190 µs, noise 3.2 µs"; the reason behind it, if there is one.
std::string differenceSentence(const TimeDifference& difference);
// "x86-64 ..., AMD EPYC, 2026-11-28 18:40 UTC"
std::string takenText(const std::string& machine, const std::string& taken);

} // namespace fw::snapshot
