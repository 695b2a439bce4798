// What the templates of default schedules share: the group after inlining, its nests, strides and
// names.
#pragma once

#include "schedule/default.h"
#include "schedule/lower_axes.h"

#include <optional>
#include <unordered_map>

namespace fw {

// How the loops of a nest are cut where stages of other nests are computed inside them (melted.h).
struct MeltedLoops {
    std::map<Symbol, std::int64_t> tiles; // iterations of an axis further in; others: all of them
    Symbol slides;                        // its tiles follow each other in the innermost loop
                                          // around; empty: all loops around are divided
    std::int64_t strip = 1;               // how many of them
};

// Where a stage of another nest is computed, and how much of it at a time.
struct MeltedInto {
    std::size_t root = 0;
    Symbol loop;
    std::map<Symbol, std::int64_t> box; // iterations of its axes
};

// Stages that share a nest: `root` has the loops, `members` are computed inside it.
struct NestPlan {
    std::size_t root = 0;
    std::vector<std::size_t> members;
    std::set<Symbol> row; // axes of the root that every reduction of the nest has
    std::map<std::size_t, std::map<Symbol, Symbol>> axes; // stage -> its variable -> the root's
    std::optional<MeltedLoops> melted = {};
    std::optional<MeltedInto> into = {};
};

inline std::vector<std::size_t> stagesOf(const NestPlan& nest) {
    std::vector<std::size_t> out = nest.members;
    out.push_back(nest.root);
    return out;
}

// Builds one schedule. Steps may only be added once all inlining is done.
class SchedulePlanner {
public:
    SchedulePlanner(const OpInst& inst, const ScheduleContext& context);

    const ScheduleContext& context;
    OpInst inst; // after inlining
    Schedule schedule;
    StorageMaps packs;

    // What is computed of a sum is inlined into the window of another only where `Anywhere`: it
    // would be computed for each of the windows that read it. A movement that keeps the runs of
    // memory is inlined into sums only where `OncePerElement`: for nests apart they are read once
    // more than they need be, but in a row.
    enum class Inlining : std::uint8_t { Anywhere, OncePerElement };
    void inlineMaps(Inlining which = Inlining::Anywhere);
    std::vector<NestPlan> nests() const;

    const Stage& stage(std::size_t i) const { return inst.stages[i]; }
    std::string name(std::size_t i) const { return stageName(inst, i); }
    Symbol fresh(Symbol base, std::string_view suffix); // a new loop name

    // Steps; they do not check, applySchedule does.
    void split(std::size_t stage, Symbol axis, Symbol outer, Symbol inner, std::int64_t factor,
               Tail tail);
    void fuse(std::size_t stage, Symbol first, Symbol second, Symbol into);
    void reorder(std::size_t stage, std::vector<Symbol> loops);
    void mark(StepKind kind, std::size_t stage, Symbol loop, std::int64_t grain = 0);
    void at(std::size_t stage, std::size_t consumer, Symbol loop);
    void accumulate(std::size_t stage, Symbol loop);

    StorageMap mapOf(Symbol tensor) const;
    bool isOutput(Symbol tensor) const;
    bool isInput(Symbol tensor) const;
    std::vector<std::size_t> readers(Symbol tensor) const; // stages
    Exprs loads(const Expr& body) const;                   // all loads, outermost first
    // Offset of a load or of a stage's store in memory, over axes.
    Expr offset(Symbol tensor, const Exprs& indices) const;
    // By how much the offset moves with the variable: nullopt if not by a constant.
    std::optional<std::int64_t> stride(const Expr& load, Symbol var) const;
    // Whether two neighbouring axes of a stage act as one in every access of these stages.
    bool fusible(const std::vector<std::size_t>& stages, const Axis& outer,
                 const Axis& inner) const;
    // All values that move with `var` in these stages are four bytes wide.
    bool vectorizable(const std::vector<std::size_t>& stages, Symbol var) const;

    // Splits an axis into chunks of up to four vectors; gives the loop over the chunks. Of a
    // reduction: lanes and copies hold partial sums.
    Symbol splitLanes(std::size_t stage, Symbol axis, const Expr& extent, bool reduced);

    // Operations of a stage, its store among them; 64 iterations of those that are not known.
    double work(std::size_t stage) const;
    // How often the stage reads an element of the tensor; 64 iterations of what is not known.
    double readsOf(std::size_t stage, Symbol tensor) const;

    // Space of a stage from the slowest to the fastest axis in the storage of what it writes.
    std::vector<Axis> storageSpace(std::size_t stage) const;

private:
    std::int64_t wholePeriods(std::size_t stage, Symbol axis, std::int64_t unroll) const;

    const std::set<Symbol>& loaded(const Expr& body) const;

    std::set<Symbol> m_names;
    struct Loaded {
        Expr body; // keeps the node alive
        std::set<Symbol> tensors;
    };
    mutable std::unordered_map<const ExprNode*, Loaded> m_loaded; // of bodies that were asked about
};

// Whether the stage computes something of the node.
bool isOf(const Stage& stage, std::int64_t node);
// The axes of the last stage of the node -> those of the last stage that writes `tensor`, as far as
// every read on the way keeps them.
std::map<Symbol, Symbol> carriedAxes(const OpInst& inst, const ScheduleContext& context,
                                     Symbol tensor, std::int64_t node);

// Four-byte elements of one cache line: lanes that lie farther apart read a line each.
inline constexpr std::int64_t lineElements = 16;

// How much work an expression is: operations, with divisions and math functions counted by their
// cost.
double bodyCost(const Expr& body);
std::int64_t constantOr(const Expr& extent, std::int64_t otherwise);
// Iterations worth a thread of their own, for iterations of this many operations.
std::int64_t grainFor(double operations);

// A template: takes the nest and adds its steps, or says why it does not.
using Refused = std::optional<std::string>;
Refused planContraction(SchedulePlanner& planner, const NestPlan& nest);
Refused planRowwise(SchedulePlanner& planner, const NestPlan& nest);
Refused planWindow(SchedulePlanner& planner, const NestPlan& nest);
// Rows that others are melted into, tile by tile of them in `around`.
Refused planRowsAround(SchedulePlanner& planner, const NestPlan& nest, Symbol& around);
// Of a reduction that is melted into another nest: its own rows, with lanes along them.
Refused planRowsInside(SchedulePlanner& planner, const NestPlan& part);
Refused planElementwise(SchedulePlanner& planner, const NestPlan& nest);
Refused planPlain(SchedulePlanner& planner, const NestPlan& nest);

} // namespace fw
