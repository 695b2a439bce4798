// The ways to cut the loops of a nest that others are melted into, and what each costs.
#pragma once

#include "schedule/melted.h"

namespace fw {

// Iterations of a variable in one iteration of the loops around, and by how many it moves with the
// loop that slides.
struct LoopSpan {
    std::int64_t extent = 1;
    std::int64_t step = 0;
};
using LoopSpans = std::map<Symbol, LoopSpan>;

// An index as a sum of multiples of variables.
struct IndexSum {
    std::vector<std::pair<Symbol, std::int64_t>> terms;
    std::int64_t constant = 0;
};

struct TensorAccess {
    Symbol tensor;
    std::vector<std::optional<IndexSum>> dims; // nullopt: it is no such sum
    std::vector<std::set<Symbol>> vars;
};

std::vector<TensorAccess> accessesOf(const SchedulePlanner& planner, std::size_t stage);

// A stage of a nest that is melted.
struct MeltedStage {
    std::size_t stage = 0;
    bool isRoot = false;  // of the root's nest
    std::size_t nest = 0; // that it is in, apart
    bool isInner = false; // and does not end: it never lies in memory
    bool isRow = false;   // a reduction whose lanes lie along what it reduces
    std::vector<TensorAccess> accesses;
    Symbol lane; // along which its lanes lie
};

// What is asked of a stage for every way to cut the loops.
struct MeltedFacts {
    const MeltedStage* follower = nullptr; // see follower()
    double steps = 1, elements = 1;        // of the sum of one element; of what it writes
    double body = 0;                       // bodyCost()
    bool isPadded = false;                 // it is read beside what it is
    bool isFree = false;                   // an axis of it is
    std::vector<std::size_t> readers;
    std::map<std::pair<std::int64_t, std::int64_t>, double> tiles; // tileCycles()
};

class MeltedCuts {
public:
    // Stages in order of execution, the root last, whose tiles have rows along `rows`. If that is
    // planned by rows, which are not cut, `row` has the axes along them.
    MeltedCuts(const SchedulePlanner& planner, std::vector<MeltedStage> stages,
               const NestPlan& root, Axis lane, Symbol rows, std::optional<std::set<Symbol>> row);

    // Every way whose boxes can be held.
    std::vector<Melting> ways();
    double apart() const; // cycles of the same stages in nests one behind the other

private:
    std::int64_t extentOf(const Expr& extent) const;
    std::int64_t tilesAlong(const Axis& axis, const MeltedLoops& loops) const;
    const MeltedFacts& facts(const MeltedStage& stop) const { return m_facts.at(stop.stage); }
    const MeltedStage* follower(const MeltedStage& stop) const;
    bool isFollowed(const MeltedStage& stop) const;
    bool isFollowedApart(const MeltedStage& stop) const;
    double ofMap(const MeltedStage& map, bool isApart) const;
    double bytesOf(const MeltedStage& stop) const;
    bool isProduct(std::size_t i) const;
    double trafficOf(const MeltedStage& stop) const;
    double tileCycles(const MeltedStage& stop, std::int64_t wide, std::int64_t tall) const;
    double rowCycles(const MeltedStage& stop) const;
    double cyclesOf(const MeltedStage& stop, const LoopSpans& spans, double times,
                    double ofMap) const;
    double weightCycles(const MeltedStage& stop, std::int64_t wide) const;
    std::vector<std::int64_t> tilesOf(const Axis& axis) const;
    void choose(std::size_t at, MeltedLoops& loops);
    void slide(MeltedLoops& loops);
    void rate(const MeltedLoops& loops);
    double operandBytes(const MeltedStage& stop, const LoopSpans& own) const;
    bool hasLongRows(const MeltedStage& stop, const LoopSpans& own) const;
    bool hasEdges(const MeltedStage& stop, const LoopSpans& own,
                  const std::set<std::size_t>& others) const;
    bool boxOf(const MeltedStage& stop, const std::map<std::size_t, LoopSpans>& spans,
               LoopSpans& own) const;

    const SchedulePlanner& m_planner;
    std::vector<MeltedStage> m_stages;
    mutable std::map<std::size_t, MeltedFacts> m_facts; // by the stage
    const NestPlan& m_root;
    Axis m_lane;
    Symbol m_rows;
    std::optional<std::set<Symbol>> m_row;
    std::vector<Axis> m_axes;    // of the root
    std::optional<Axis> m_last;  // of them, along the rows of a tile
    std::set<Symbol> m_rowSizes; // free sizes of its kind
    std::vector<Melting> m_ways;
};

} // namespace fw
