// What the books say about implementations: `implementations` blocks and the chains they name.
//
// Blocks for one operator add up. For one call the blocks that fit (operator or kind, a key of the
// target) are merged: an entry named like another changes the clauses it writes; a more specific
// key wins over a less specific one, an operator over its kind, a later book over an earlier one.
// In this order, too, entries are listed, so that among equals the more specific one comes first.
#pragma once

#include "pattern/match.h"
#include "strategy/call_scope.h"
#include "strategy/scheduled.h"

namespace fw {

// User: also one that takes the place of a shipped one.
enum class BookOrigin : std::uint8_t { Shipped, User };

struct StrategyBlock {
    std::shared_ptr<const ImplementationsTree> tree;
    std::string file;
    int book = 0; // in the order in which they are read
    BookOrigin origin = BookOrigin::User;
};

// An entry of the shipped book that is computed by a schedule of a book: code like any other.
struct ShippedSchedule {
    std::string entry;
    std::string code;
};

// The condition of an entry, over the names of the block that it stands in.
struct EntryGuard {
    const ConditionTree* condition;
    const ImplementationsTree* block;
};

// The `compute` of an entry, and the block that it stands in.
struct EntryComputation {
    const EntryTree* entry;
    std::shared_ptr<const ImplementationsTree> block;
};

// A clause that an entry got in the end, and where it was written.
struct MergedEntry {
    std::string name;
    std::string code; // the implementation that computes it
    int priority = 10;
    BookOrigin prioritized = BookOrigin::Shipped; // who says the priority
    std::optional<EntryComputation> computed;     // in place of the operator's expression
    std::optional<EntryGuard> guard;
    const ImplementationsTree* home = nullptr; // whose signature the call must fit
    AbsorbClause absorbs = AbsorbClause::Any;
    std::string chain;
    std::string level;  // "dense on x86-64"
    std::string places; // "strategy.fw:12, my.fw:3"
};

class StrategyBook {
public:
    // Later books win. Trees of other declarations are passed over.
    void add(const std::vector<DeclarationPtr>& declarations, const std::string& file,
             BookOrigin origin = BookOrigin::User);

    // Entries for a call, in the order in which they are considered. Keys: most specific first.
    std::vector<MergedEntry> entries(std::string_view op, FusionKind kind,
                                     const std::vector<std::string>& keys) const;
    const std::vector<StrategyBlock>& blocks() const { return m_blocks; }
    const PatternTable& chains() const { return m_chains.table(); }
    const std::vector<WrittenSchedule>& schedules() const { return m_schedules; } // one per name
    std::vector<ShippedSchedule> shippedSchedules() const;
    bool names(std::string_view implementation) const; // some entry is computed by it

private:
    void add(std::shared_ptr<const ScheduleTree> schedule, const std::string& file,
             BookOrigin origin);

    std::vector<StrategyBlock> m_blocks;
    DeclaredPatterns m_chains;
    std::vector<WrittenSchedule> m_schedules;
    int m_books = 0;
};

// resources/library/strategy.fw
const StrategyBook& standardStrategy();
std::string_view embeddedStrategy();

// What is wrong with one block: operators, kinds, keys, names in guards, chains, schedules.
Diags checkBlock(const ImplementationsTree& block, const OperatorSet& operators,
                 const PatternTable& chains, const ScheduleTable& schedules,
                 const std::vector<std::string>& targetKeys, const std::string& file);
// Calls on which entries of a block in which nothing is wrong do not compute what their operator
// does. Takes a tenth of a second for an entry.
Diags tryComputations(const ImplementationsTree& block,
                      const std::shared_ptr<const OperatorSet>& operators, const std::string& file);
// Subjects for which no unconditional entry is left, and entries that change another's.
Diags checkStrategy(const StrategyBook& book);

} // namespace fw
