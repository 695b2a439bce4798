// The ways to cut the loops of a nest that others are melted into.
#pragma once

#include "schedule/melted_costs.h"

namespace fw {

class MeltedCuts {
public:
    // Stages in order of execution, the root last, whose tiles have rows along `rows`. If that is
    // planned by rows, which are not cut, `row` has the axes along them.
    MeltedCuts(const SchedulePlanner& planner, const std::vector<MeltedStage>& stages,
               const NestPlan& root, Axis lane, Symbol rows, std::optional<std::set<Symbol>> row);

    // Every way whose boxes can be held.
    std::vector<Melting> ways();
    double apart() const { return m_costs.apart(); }

private:
    std::optional<Axis> lastAxis() const;
    std::int64_t tilesAlong(const Axis& axis, const MeltedLoops& loops) const;
    std::vector<std::int64_t> tilesOf(const Axis& axis) const;
    void choose(std::size_t at, MeltedLoops& loops);
    void slide(MeltedLoops& loops);
    struct Iterations { // of the loops around
        double around = 1;
        double strips = 1; // that are divided among threads
        double share = 1;  // of the tiles lies so much inside
    };
    Iterations iterationsOf(const MeltedLoops& loops) const;
    bool rootSpans(const MeltedStage& stop, const MeltedLoops& loops, LoopSpans& own) const;
    void rate(const MeltedLoops& loops);
    double operandBytes(const MeltedStage& stop, const LoopSpans& own) const;
    bool hasLongRows(const MeltedStage& stop, const LoopSpans& own) const;
    bool hasEdges(const MeltedStage& stop, const LoopSpans& own,
                  const std::set<std::size_t>& others) const;
    bool boxOf(const MeltedStage& stop, const std::map<std::size_t, LoopSpans>& spans,
               LoopSpans& own) const;

    const SchedulePlanner& m_planner;
    const NestPlan& m_root;
    Axis m_lane;
    Symbol m_rows;
    std::optional<std::set<Symbol>> m_row;
    std::vector<Axis> m_axes;   // of the root
    std::optional<Axis> m_last; // of them, along the rows of a tile
    MeltedCosts m_costs;
    std::vector<Melting> m_ways;
};

} // namespace fw
