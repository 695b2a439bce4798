// Which output of a group may be written over which of its operands.
//
// Two questions: whether anybody needs the operand afterwards (of the plan), and whether the loops
// read each of its elements only to compute the element that takes its place (of the loops, so it
// holds for whatever a schedule made of them).
#pragma once

#include "fusion/group.h"
#include "loop/loop.h"

#include <compare>
#include <set>
#include <vector>

namespace fw {

// Of one output and one operand, as positions among those of the group's body.
struct InPlace {
    std::size_t input = 0;
    std::size_t output = 0;
    auto operator<=>(const InPlace&) const = default;
};

// Of one plan; valid as long as it.
class SpentOperands {
public:
    SpentOperands(const Graph& graph, const FusionPlan& plan);

    // Operands that die in this group and are as large as an output with memory of its own.
    std::vector<InPlace> of(const Group& group) const;

private:
    bool ownsMemory(ValueRef value) const;
    bool diesIn(ValueRef value, const Group& group) const;

    const Graph& m_graph;
    const FusionPlan& m_plan;
    std::set<ValueRef> m_hosts; // other values lie in them
};

// Those of `candidates` that the loops allow; every operand and every output at most once.
std::vector<InPlace> allowedInPlace(const LoopNest& nest, const GroupBody& body,
                                    const std::vector<InPlace>& candidates);

} // namespace fw
