// Melting: nests computed inside the loops of the nest that reads them.
//
// Of a nest that reduces, one iteration of its outer loops needs a box of what it reads. Where that
// box is computed there, it lies in the first caches and never in memory. What is repeated for it
// (windows that overlap, operands that every tile reads) is weighed against the bytes that are
// saved, by the extents and accesses of the stages; nothing here knows operators. An iteration may
// compute a tile of the result (a few windows of a pool), a row, or a strip of a row, one after
// another, so that rows that two of them share lie in a ring (resources/docs/schedules.md).
#pragma once

#include "schedule/nest_plan.h"

namespace fw {

enum class Melt : std::uint8_t {
    WherePays,
    Always, // wherever there is a box
};

// A nest with others inside it.
struct Melting {
    NestPlan root;                  // with `melted`
    std::vector<NestPlan> parts;    // a stage each, with `into` but for its loop, in their order
    std::vector<std::size_t> nests; // that the parts were, ascending
    double cycles = 0;              // of all of it, of all threads together
    double apart = 0;               // of the same nests one behind the other
    double saved = 0, repeated = 0; // bytes that memory does not see; operations
    std::int64_t held = 0;          // bytes

    std::string text() const; // "58.0 KB at a time, 4.8 MB less of memory, ..."
};

// Of the ways to compute nests before `nests[root]`, of which `taken` are computed elsewhere,
// inside it: the cheapest first. Empty with a reason if there is none, or none that pays.
std::vector<Melting> meltingsOf(SchedulePlanner& planner, const std::vector<NestPlan>& nests,
                                std::size_t root, const std::set<std::size_t>& taken, Melt how,
                                std::string& why);
// Its steps.
Refused planMelting(SchedulePlanner& planner, Melting& melting);

// The group with nests melted where that can be done and, by Melt::WherePays, where it costs less
// than nests one behind the other; others by the first template that takes them. ScheduleIllegal
// with a reason where nothing is melted.
Result<ScheduleChoice> meltedSchedule(const OpInst& inst, const ScheduleContext& context,
                                      Melt how = Melt::WherePays);

} // namespace fw
