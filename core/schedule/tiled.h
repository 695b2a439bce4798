// The plan of one tile of accumulators: what is known of the reduction, the axes chosen for lanes
// and rows, and the steps made of them.
#pragma once

#include "schedule/schedule_planner.h"

namespace fw {

struct Tile {
    std::int64_t rows = 1;    // of the unrolled axis
    std::int64_t vectors = 1; // along the lanes
};

class TiledPlan {
public:
    TiledPlan(SchedulePlanner& planner, const NestPlan& nest, bool contraction);
    Refused run();
    // The axis that the lanes would lie along and that of the rows, which may be none, or why there
    // is none.
    Refused lane(Axis& out, Symbol& rows);
    // Of a nest that is melted, when it was planned: the innermost loop around.
    Symbol around() const { return m_around; }

private:
    Refused findReduction();
    bool isLane(const Expr& index) const;
    bool isPackable(const Expr& load) const;
    void findGroups();
    Refused chooseLanes();
    void chooseChannels();
    void chooseAlongMemory();
    bool isPackedAlong(const Axis& axis) const;
    static bool isOnlyDivided(const Expr& e, Symbol var);
    bool betterAlongTheReduction() const;
    bool staysAlong(const Exprs& loads, const Axis& axis) const;
    bool isInsideGroup(Symbol axis) const;
    bool conditioned(Symbol rootVar) const;
    void chooseRows();
    bool canJoin(const Axis& outer, const Axis& inner) const;
    double stepCost(std::int64_t rows, std::int64_t vectors) const;
    std::int64_t mostRows() const;
    void chooseTile();
    void packConstants();
    std::vector<Symbol> reduceOrder() const;
    bool sharesSpace(const Expr& index) const;
    double bytesOf(const Expr& load) const;
    Refused limitAxes();
    void addLoops();
    void addMeltedLoops();
    std::vector<Symbol> splitLanes(Symbol lane, std::vector<Symbol>& outer);
    void addReduction();

    SchedulePlanner& m_planner;
    std::size_t m_root;
    bool m_contraction;
    const NestPlan& m_nest;
    std::size_t m_reduction = 0;
    Stage m_r;
    std::map<Symbol, Symbol> m_own; // the root's variable -> the reduction's
    Expr m_body;
    Exprs m_conditions;
    Exprs m_loads;
    Exprs m_vectorLoads;
    Exprs m_scattered; // lanes that lie apart
    Axis m_lane;
    std::vector<Axis> m_axes;  // of the root, besides lanes and rows
    std::vector<Axis> m_whole; // all of them, as they were before a nest was melted
    std::vector<Axis> m_rows;  // act as one
    Expr m_rowExtent;
    Tile m_tile;
    bool m_lanesGuarded = false;
    std::int64_t m_lanes = m_planner.context.vectorLanes; // of a vector
    bool m_sharesVectors = false;                         // groups are parts of a vector
    std::int64_t m_group = 0, m_groups = 1;               // lanes of a group; how many
    Symbol m_groupVar;
    Symbol m_inner; // the accumulators lie inside this loop
    Symbol m_around;
};

} // namespace fw
