// The plan of one tile of accumulators: what is known of the reduction, the axes chosen for lanes
// and rows, and the steps made of them.
#pragma once

#include "schedule/nest_plan.h"

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
    std::set<Symbol> spaceOfBoth() const;
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
    struct OuterLoops {
        std::vector<Symbol> lanes;           // over tiles of lanes
        Symbol rows;                         // over tiles of rows; or empty
        std::vector<Symbol> divided, serial; // outermost first
        Symbol fused;                        // of those that are divided the first ones,
        std::set<Symbol> shared;             // which are these
    };
    struct MeltedAround {
        std::vector<Symbol> around;     // loops, outermost first
        Symbol slide;                   // the innermost one, if there is one that slides
        std::map<Symbol, Symbol> inner; // axis -> its loop further in
        double chunks = 1;
    };
    void addLoops();
    std::int64_t laneBlocks() const;
    void orderOuter(OuterLoops& loops) const;
    void fuseOuter(OuterLoops& loops);
    void markTile(const std::vector<Symbol>& tile);
    Symbol splitRows(Symbol row, Symbol base, std::vector<Symbol>& tile);
    void addMeltedLoops();
    void cutMelted(const Axis& axis, MeltedAround& loops);
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
    std::int64_t m_lanes = 1;               // of a vector
    bool m_sharesVectors = false;           // groups are parts of a vector
    std::int64_t m_group = 0, m_groups = 1; // lanes of a group; how many
    Symbol m_groupVar;
    Symbol m_inner; // the accumulators lie inside this loop
    Symbol m_around;
};

} // namespace fw
