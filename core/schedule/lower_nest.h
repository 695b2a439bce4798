// The loops of a nest.
#pragma once

#include "loop/loop.h"
#include "schedule/lower_body.h"
#include "schedule/nest_boxes.h"

#include <functional>

namespace fw {

inline constexpr std::int64_t mostStackBytes = 65536, // of one buffer
    mostHeldBytes = 262144;                           // of the buffers of a nest at once

class NestLowering {
public:
    NestLowering(const ScheduledGroup& group, std::map<Symbol, MemoryTensor>& memory,
                 std::size_t root);

    Stmt lower();

private:
    using DimRole = Nest::DimRole;
    using Member = Nest::Member;

    // Where a tensor of the nest lies while the nest runs.
    struct Local {
        Buffer buffer;
        std::vector<DimRole> roles;
        std::vector<Expr> strides; // of Own and Box dimensions
        std::vector<Expr> base;    // of Box dimensions: where it begins, in variables of the loops
        std::vector<std::int64_t> rows; // of the dimension of a ring: how many rows it has; else 0
        Expr tileOffset;                // in loop variables of the root
    };

    // The axis along which the box moves by `step` from one iteration to the next; 0: it stays.
    struct Ring {
        std::size_t dim = 0;
        std::int64_t step = 0, extent = 0;
    };
    // A member while it is lowered: its buffer, its axes as long as the box, and where they begin.
    struct Region {
        Local local;
        PeelState peel;
        Substitution moved;
        Exprs inside;             // the conditions for lying inside the tensor, and not in the ring
        Exprs slides;             // how far the box has moved along each dimension of a ring
        std::optional<Ring> ring; // the buffer outlives the iteration
    };
    // Where the sums of a member are made: acc[tile][partial], in the order of the loops.
    struct Accumulator {
        std::vector<ScheduledLoop> partial, serial; // of the reduction
        std::map<Symbol, Expr> extents;
        std::int64_t partialSize = 1;
        Expr tileOffset = Expr(0), index; // in loop variables
        Buffer buffer;
    };
    // A loop of the root that is being made, and what is held across its iterations.
    struct OpenLoop {
        Symbol var;
        Expr extent;
        std::vector<Buffer> kept;
    };

    struct Condition {
        std::optional<std::size_t> split; // a tail, or
        Expr original;                    // in axes
    };
    struct Walk {
        std::vector<ScheduledLoop> loops;
        std::vector<Condition> conditions;
        std::function<Stmt(const PeelState&)> leaf;
        std::vector<std::int64_t> nodes;
        bool isRoot = false;
    };

    Region region(const Member& member, const PeelState& peel) const;
    std::vector<std::int64_t> regionSizes(const Member& member, const std::vector<BoxSpan>& spans,
                                          std::int64_t most) const;
    static void expressBySum(Region& region, const Member& map);
    std::optional<Ring> ring(const Member& member, const std::vector<BoxSpan>& spans) const;
    bool isStoredByLanes(const Member& member, std::size_t dim) const;
    bool lanesAlong(const Member& member, std::size_t dim) const;
    Expr isNew(const Member& member, const Ring& ring) const;
    std::vector<std::size_t> bufferOrder(const Member& member) const;
    void hold(const Region& region, std::vector<Buffer>& buffers);
    Expr placeIn(const Local& local, std::size_t dim, const Expr& index) const;

    Stmt walk(const Walk& plan, std::size_t at, const PeelState& peel, std::vector<bool> placed);
    Stmt walkInside(const Walk& plan, std::size_t at, const PeelState& peel,
                    const std::vector<bool>& placed);
    Stmt openLoop(const Walk& plan, std::size_t at, const Expr& extent, const PeelState& peel,
                  const std::vector<bool>& placed);
    Stmt peeled(const Walk& plan, std::size_t at, std::size_t split, const PeelState& peel,
                const std::vector<bool>& placed);
    Stmt fewRows(const Walk& plan, std::size_t at, std::size_t split, const PeelState& peel,
                 const std::vector<bool>& placed);
    bool takesFewRows(const Walk& plan, std::size_t split) const;
    Stmt withMembers(std::size_t level, const PeelState& peel, const std::function<Stmt()>& rest);

    Stmt mapMember(const Member& member, const PeelState& peel, std::vector<Buffer>& buffers);
    Stmt reduction(const Member& member, const PeelState& peel, std::vector<Buffer>& buffers);
    // With the map that is computed where its sums are stored, if there is one.
    Stmt regionReduction(const Member& member, const Member* map, const PeelState& peel,
                         std::vector<Buffer>& buffers);
    Stmt regionStored(const Region& region, const Member& sum, const Member* map,
                      const PeelState& peel);
    Stmt accumulated(const Member& member, const PeelState& peel, std::vector<Condition> tails,
                     std::vector<Buffer>& buffers);
    Accumulator accumulatorOf(const Member& member, const PeelState& peel) const;
    void checkLanes(const Member& member, const Accumulator& acc, const PeelState& peel) const;
    Stmt accumulating(const Member& member, const Accumulator& acc,
                      const std::vector<ScheduledLoop>& lanes, const PeelState& peel,
                      std::vector<Condition> tails);
    static void foldPartial(const Member& member, const Accumulator& acc, std::vector<Stmt>& parts);
    Stmt rootLeaf(const PeelState& peel);

    // Of splits of loops that stem from these axes.
    std::vector<Condition> tails(const std::vector<AxisStep>& steps,
                                 const std::vector<Axis>& axes) const;
    static void addGuards(const Member& member, std::vector<Condition>& conditions);
    std::vector<Condition> neededTails(const Member& member, const Expr& body,
                                       const PeelState& peel);
    bool derivesVector(Symbol axis) const;

    Expr withConditions(const Expr& e) const; // in place of pads
    Expr value(const Expr& e, const PeelState& peel);
    Expr flatLoad(const Expr& load, const PeelState& peel);
    Expr memoryOffset(const MemoryTensor& tensor, const Exprs& indices, const PeelState& peel);
    GuardedBody guardedBodyOf(const Stage& stage) const;
    Stmt regionStore(const Region& region, const Exprs& indices, const Expr& stored,
                     const PeelState& peel);
    Stmt memoryStore(Symbol tensor, const Exprs& indices, const Expr& stored,
                     const PeelState& peel);
    std::int64_t constantExtent(Symbol axis, const PeelState& peel, const Member& member) const;

    Nest m_nest;
    const ScheduledGroup& m_group;
    std::map<Symbol, MemoryTensor>& m_memory;
    const ScheduledStage& m_root;
    const Stage& m_stage;
    const NestAxes& m_axes;
    const std::map<Symbol, std::set<Symbol>>& m_origins;
    const std::vector<Member>& m_members;
    std::map<Symbol, Local> m_locals;
    std::vector<OpenLoop> m_open; // outermost first
    Ranges m_ranges;
    std::vector<std::int64_t> m_nodes;
};

} // namespace fw
