// What the templates of default schedules share: the group after inlining, strides, names and
// steps.
#pragma once

#include "schedule/default.h"
#include "schedule/lower_axes.h"

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace fw {

// Builds one schedule. Steps may only be added once all inlining is done.
class SchedulePlanner {
public:
    SchedulePlanner(const OpInst& inst, const ScheduleContext& context);

    const ScheduleContext& context;
    OpInst inst; // after inlining
    Schedule schedule;
    StorageMaps packs;

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
    // Neighbours, outermost first, as one loop.
    Symbol fuseAll(std::size_t stage, const std::vector<Symbol>& loops); // none: empty

    StorageMap mapOf(Symbol tensor) const;
    bool isOutput(Symbol tensor) const;
    bool isInput(Symbol tensor) const;
    std::vector<std::size_t> readers(Symbol tensor) const;  // stages
    Exprs loads(const Expr& body) const;                    // all loads, outermost first
    const std::set<Symbol>& loaded(const Expr& body) const; // tensors
    // Offset of a load or of a stage's store in memory, over axes.
    Expr offset(Symbol tensor, const Exprs& indices) const;
    // By how much the offset moves with the variable: nullopt if not by a constant.
    std::optional<std::int64_t> stride(const Expr& load, Symbol var) const;
    // Whether two neighbouring axes of a stage act as one in every access of these stages.
    bool fusible(const std::vector<std::size_t>& stages, const Axis& outer,
                 const Axis& inner) const;
    // No value of these stages says where others lie that are read along `var`.
    bool vectorizable(const std::vector<std::size_t>& stages, Symbol var) const;
    // All values that move with `var` in these stages are four bytes wide.
    bool isFourBytes(const std::vector<std::size_t>& stages, Symbol var) const;
    // Of the loops of a nest, all of which have one number of them: values as wide as the widest
    // that moves with one of the variables fill a vector.
    std::int64_t lanes(const std::vector<std::size_t>& stages, const std::set<Symbol>& vars) const;

    // Splits an axis into chunks of up to four vectors; gives the loop over the chunks. Of a
    // reduction: lanes and copies hold partial sums.
    Symbol splitLanes(std::size_t stage, Symbol axis, const Expr& extent, std::int64_t lanes,
                      bool reduced);

    // Operations of a stage, its store among them; 64 iterations of those that are not known.
    double work(std::size_t stage) const;
    // How often the stage reads an element of the tensor; 64 iterations of what is not known.
    double readsOf(std::size_t stage, Symbol tensor) const;

    // Space of a stage from the slowest to the fastest axis in the storage of what it writes.
    std::vector<Axis> storageSpace(std::size_t stage) const;

private:
    std::int64_t wholePeriods(std::size_t stage, Symbol axis, std::int64_t lanes,
                              std::int64_t unroll) const;

    std::set<Symbol> m_names;
    struct Loaded {
        Expr body; // keeps the node alive
        std::set<Symbol> tensors;
    };
    mutable std::unordered_map<const ExprNode*, Loaded> m_loaded; // of bodies that were asked about
};

// Four-byte elements of one cache line: lanes that lie farther apart read a line each.
inline constexpr std::int64_t lineElements = 16;

// How much work an expression is: operations, with divisions and math functions counted by their
// cost.
double bodyCost(const Expr& body);
std::int64_t constantOr(const Expr& extent, std::int64_t otherwise);
// Iterations worth a thread of their own, for iterations of this many operations.
std::int64_t grainFor(double operations);

} // namespace fw
