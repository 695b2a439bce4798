// What the stages of a nest that is melted cost in cycles, together and apart.
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

// Bytes per cycle of one core that it waits for: caches behind the second one hold several times as
// much, and run ahead of nests that are read in order. Measured on an EPYC 9004: results of up to
// 5 MB are not worth melting for their bytes alone, those of 8 MB are.
inline constexpr double fromCaches = 48, fromMemory = 6;

inline bool isFree(const Axis& axis) {
    return !axis.extent.isInt();
}

class MeltedCosts {
public:
    // `rowSizes`: free sizes of rows and windows.
    MeltedCosts(const SchedulePlanner& planner, std::vector<MeltedStage> stages,
                std::set<Symbol> rowSizes);

    const std::vector<MeltedStage>& stages() const { return m_stages; }
    const MeltedFacts& facts(const MeltedStage& stop) const { return m_facts.at(stop.stage); }
    std::int64_t extentOf(const Expr& extent) const;
    // Of stages that are melted, the map is computed where the sums are stored.
    bool isFollowed(const MeltedStage& stop) const;
    double bytesOf(const MeltedStage& stop) const;
    // Of a stage over these iterations, so many times.
    double cyclesOf(const MeltedStage& stop, const LoopSpans& spans, double times,
                    bool isApart) const;
    double apart() const; // cycles of the same stages in nests one behind the other

private:
    const MeltedStage* follower(const MeltedStage& stop) const;
    bool isFollowedApart(const MeltedStage& stop) const;
    double ofMap(const MeltedStage& map, bool isApart) const;
    bool isProduct(std::size_t i) const;
    double trafficOf(const MeltedStage& stop) const;
    double tileCycles(const MeltedStage& stop, std::int64_t wide, std::int64_t tall) const;
    double rowCycles(const MeltedStage& stop) const;
    double weightCycles(const MeltedStage& stop, std::int64_t wide) const;

    const SchedulePlanner& m_planner;
    std::vector<MeltedStage> m_stages;
    std::set<Symbol> m_rowSizes;
    mutable std::map<std::size_t, MeltedFacts> m_facts; // by the stage
};

} // namespace fw
