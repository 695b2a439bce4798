// The whole plan by what was measured: of the groups of a plan, of their operators alone and of
// neighbours together, those that take the least, beside the plan that was made group by group.
#pragma once

#include "fusion/cover.h"
#include "fusion/plan.h"
#include "session/group_times.h"
#include "snapshot/inputs.h"

namespace fw {

class MeasuredPieces {
public:
    MeasuredPieces(const Graph& graph, const FusionPlan& plan) : m_graph(graph), m_plan(plan) {}

    void addGroup(const Group& group, double us); // as the plan has it
    void addSplit(const Group& group, const SplitTime& split);
    void addTogether(const Group& group, const Group& next, snapshot::Pin pin, double us);

    // For people: what the plan takes and what the best one would, with the pins that make it so. A
    // piece that the plan has not counts only if it is three percent faster, since times are noisy.
    std::string sentence() const;

private:
    enum class Way : std::uint8_t { Planned, Split, Together };
    struct PieceWay {
        Way way = Way::Planned;
        const Group* group = nullptr;
        std::optional<snapshot::Pin> pin = {};
    };
    void add(std::vector<NodeId> nodes, double us, PieceWay known);

    const Graph& m_graph;
    const FusionPlan& m_plan;
    std::vector<CoverPiece> m_pieces;
    std::vector<PieceWay> m_known; // of each piece
};

} // namespace fw
