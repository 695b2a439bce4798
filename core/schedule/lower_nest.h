// One nest: a stage at the root and the stages computed inside it.
#pragma once

#include "loop/loop.h"
#include "schedule/lower_axes.h"
#include "schedule/lower_body.h"

#include <functional>
#include <set>

namespace fw {

// Why a schedule cannot be lowered; caught in lower().
struct LowerRefusal {
    std::string stage; // ScheduledStage::name
    std::string why;
    std::optional<std::size_t> step = {}; // of the schedule
};

// A buffer that handed-in memory or an outer nest provides.
struct MemoryTensor {
    TensorDecl decl;
    StorageMap map;
};

inline constexpr std::int64_t mostStackBytes = 65536, // of one buffer
    mostHeldBytes = 262144;                           // of the buffers of a nest at once

class NestLowering {
public:
    NestLowering(const ScheduledGroup& group, std::map<Symbol, MemoryTensor>& memory,
                 std::size_t root);

    Stmt lower();

private:
    // Fixed: the value of an open loop of the root. Tile: over loops of the root further in. Own:
    // loops of the stage over the whole axis. Box: loops of the stage over what one iteration of
    // the open loops needs of it.
    enum class DimRole : std::uint8_t { Fixed, Tile, Own, Box };

    // A stage computed inside the nest.
    struct Member {
        const ScheduledStage* scheduled = nullptr;
        Stage stage;                     // Fixed and Tile variables are those of the root
        std::vector<DimRole> roles;      // per dimension
        std::vector<ScheduledLoop> own;  // loops over Own dimensions
        std::vector<ScheduledLoop> tile; // loops of the root inside the level, over Tile dimensions
        std::set<Symbol> fixed;          // axes of the root behind Fixed dimensions
        Exprs guards;                    // where the root reaches beyond the stage's own range
        std::size_t level = 0;           // loops of the root that are open around it
        bool inMemory = false;           // stores to a parameter
        bool isFollowed = false;         // a map is computed where its sums are stored
        std::optional<std::size_t> sum;  // of such a map
        std::map<Symbol, Symbol> sumAxes; // its variables -> those of the sum, whose loops it has
    };

    // Where a tensor of the nest lies while the nest runs.
    struct Local {
        Buffer buffer;
        std::vector<DimRole> roles;
        std::vector<Expr> strides; // of Own and Box dimensions
        std::vector<Expr> base;    // of Box dimensions: where it begins, in variables of the loops
        std::vector<std::int64_t> rows; // of the dimension of a ring: how many rows it has; else 0
        Expr tileOffset;                // in loop variables of the root
    };

    // What one iteration of the open loops needs of an axis: from `base` on, `extent` elements.
    struct Span {
        Expr base;
        Expr extent;
    };
    using Boxes = std::map<const ScheduledStage*, std::vector<Span>>;
    using Inside = std::map<Symbol, Expr>; // loop -> iterations, of those inside an open loop
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

    void findMembers();
    void joinMaps();
    static bool roleByRole(const Member& map, const Stage& second, const Member& sum,
                           const Stage& first, const std::map<Symbol, Symbol>& axes);
    static Symbol ownAxis(const Member& member, std::size_t dim);
    // Which dimensions are the root's, and which need loops of their own.
    void findRoles(Member& member, const std::map<Symbol, Symbol>& mapped) const;
    void placeMember(std::size_t stage,
                     const std::map<std::size_t, std::map<Symbol, Symbol>>& mappings);

    PeelState covering(PeelState peel) const;
    // What the nest reads of a member in one iteration of the loops that are open around it, per
    // dimension; of those that are not a Box as a whole.
    std::vector<Span> box(const Member& member, const PeelState& peel) const;
    const std::vector<Span>& box(const Member& member, const PeelState& peel, Boxes& known) const;
    Span span(const Member& member, std::size_t dim, const Expr& index, const PeelState& peel,
              const std::set<Symbol>& open) const;
    std::optional<Span> reach(const Expr& e, const Inside& inside) const; // nullopt: no bound
    static bool isWhole(const Span& span, const Expr& whole);
    static bool isWhole(const Member& member, const std::vector<Span>& spans);
    Region region(const Member& member, const PeelState& peel) const;
    std::optional<Ring> ring(const Member& member, const std::vector<Span>& spans) const;
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
    [[noreturn]] void refuse(const ScheduledStage& stage, const std::string& why) const;
    void refuseInside(const Member& member, const Member& reader) const;
    void refuseInVector(const ScheduledStage& stage, std::size_t level) const;

    const ScheduledGroup& m_group;
    std::map<Symbol, MemoryTensor>& m_memory;
    const ScheduledStage& m_root;
    const Stage& m_stage;
    NestAxes m_axes;
    std::map<Symbol, std::set<Symbol>> m_origins;
    std::vector<Member> m_members; // in stage order; the root's own reduction is the last
    std::map<Symbol, Local> m_locals;
    std::vector<OpenLoop> m_open; // outermost first
    Ranges m_ranges;
    std::vector<std::int64_t> m_nodes;
};

std::set<Symbol> loadedTensors(const Expr& e);

} // namespace fw
