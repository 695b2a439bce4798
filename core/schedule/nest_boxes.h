// Boxes: what one iteration of the open loops needs of the dimensions of a member.
#pragma once

#include "schedule/nest.h"

namespace fw {

struct BoxSpan { // from `base` on, `extent` elements
    Expr base;
    Expr extent;
};

bool isWhole(const BoxSpan& span, const Expr& whole);
bool isWhole(const Nest::Member& member, const std::vector<BoxSpan>& spans);

class NestBoxes {
public:
    // Both are read when a box is asked for.
    NestBoxes(const Nest& nest, const Ranges& ranges) : m_nest(nest), m_ranges(ranges) {}

    // What the nest reads of a member in one iteration of the loops that are open around it, per
    // dimension; of those that are not a Box as a whole.
    std::vector<BoxSpan> box(const Nest::Member& member, const PeelState& peel) const;

private:
    using Boxes = std::map<const ScheduledStage*, std::vector<BoxSpan>>;
    using Inside = std::map<Symbol, Expr>; // loop -> iterations, of those inside an open loop

    const std::vector<BoxSpan>& box(const Nest::Member& member, const PeelState& peel,
                                    Boxes& known) const;
    PeelState covering(PeelState peel) const;
    BoxSpan span(const Nest::Member& member, std::size_t dim, const Expr& index,
                 const PeelState& peel, const std::set<Symbol>& open) const;
    BoxSpan joined(const Nest::Member& member, std::size_t dim, const BoxSpan& one,
                   const BoxSpan& other) const;
    std::optional<BoxSpan> reach(const Expr& e, const Inside& inside) const; // nullopt: no bound

    const Nest& m_nest;
    const Ranges& m_ranges;
};

} // namespace fw
