// Selection: which implementation computes a node, why, and what it may absorb.
//
// Order of choice: a pin of the user, measurement, priority, estimated cost among equal priorities,
// the more specific key, order in the books. Every candidate keeps its verdict with the values of
// its guard, chosen or not.
#pragma once

#include "base/decision.h"
#include "strategy/book.h"
#include "strategy/library.h"
#include "strategy/measurements.h"

namespace fw {

// What the entry lets the implementation take; the implementation is asked as well.
struct Absorbs {
    AbsorbClause clause = AbsorbClause::Any;
    std::string chain;
    std::string place;
};

struct Candidate {
    std::string implementation;    // as the book names it
    ImplementationPtr by;          // the code behind it; null: there is none of this name
    Verdict verdict = Verdict::No; // Yes: it could compute the group; Note: where `when` holds
    std::optional<Expr> when;      // of its guard, what it asks of free dimensions
    bool branch = false;           // it is one of Selection::branches
    std::string where;             // of a branch, for people: "M <= 16: M = N (my.fw:3)"
    std::optional<Expr> wins;      // the log has times at sizes: where it is the fastest of them
    std::string winsWhere;         // for people: "1 <= N <= 16"
    std::string winsBy;            // the times
    bool neverHolds = false;       // its guard, at no sizes
    bool chosen = false;
    ReasonCode code = ReasonCode::GuardFalse;
    std::string evidence;
    int priority = 0;
    BookOrigin prioritized = BookOrigin::Shipped; // who says the priority
    // A library's that nobody named and no book of the user prefers: equal to our own code,
    // whatever the shipped priorities are.
    bool byCost = false;
    double estimateUs = 0;
    std::optional<double> measuredUs; // of the log
    bool disturbed = false;           // measured beside other work only
    // An entry with knobs at other values, by a pin or by the log: priorities do not count for it.
    bool atSetting = false;
    std::string guard; // with the values of its names; empty if there is none
    std::string level; // "dense on x86-64"
    std::string place; // "strategy.fw:12"
    Absorbs absorbs;
};

using Candidates = std::vector<Candidate>;

// What is not to compute a node: an implementation, or all of a library.
struct Avoided {
    std::string name;
    std::string evidence;
};

// What the user wants of the choice for one node.
struct Wishes {
    std::string use; // an implementation; empty: none in particular
    std::vector<Avoided> avoid;
    std::vector<NodeId> nodes; // of the group, as far as it is known: times must be of all of them
};

// What computes a node, as an entry says.
struct Computing {
    ImplementationPtr implementation; // null: nothing accepts the node
    std::string name;                 // of the entry
    Absorbs absorbs;
};

// The entry computes the node at the sizes where this holds, and no earlier one does.
struct Branch : Computing {
    Expr when;
};

// Computed by the first branch whose condition holds, else as the selection itself says.
struct Selection : Computing {
    std::string source; // "pin", "log", "priority", "only", "cost", "order"
    std::vector<Branch> branches;
    std::size_t plain = 0; // into the candidates: what computes it where there are no branches
    Candidates candidates; // in the order of the books
    bool untuned = false;  // there is a log, which knows none of several candidates
    Decisions notices;     // ties, pins that could not be followed, open guards, what is untuned

    bool uses(std::string_view entry) const; // at some sizes at least
};

struct Choice {
    std::size_t index = 0; // into the candidates
    ReasonCode why = ReasonCode::ChosenPriority;
    std::string evidence;
    std::string source;             // as Selection::source
    std::optional<Decision> notice; // without a subject: ties, measurements that are missing
};

// Of the candidates that could compute it at every size, in the order above; empty if none could.
std::optional<Choice> chooseAmong(const Candidates& candidates);
// Those that would be chosen before them where their guards hold, in this order.
std::vector<std::size_t> chosenBefore(const Candidates& candidates);

// The candidate as what computes the node.
void compute(Selection& selection, const Candidate& by);
// Makes of the candidates with open guards, and of those that the log says are the fastest at some
// sizes, branches before Selection::plain: of those in front of it each that may be reached at some
// sizes, `first` (a pin's) before the others; at sizes that were measured the log decides. Where
// the last one leaves no sizes, it takes the place of the plain one.
void chooseBranches(Selection& selection, const std::string& first, const Graph& graph);
// Without the branch of this name, which cannot compute a group.
void leaveOutBranch(Selection& selection, const std::string& name, const std::string& why,
                    const Workload& anchor);

// The implementations that there are, the libraries they belong to, and what the books say of them.
// An implementation that no entry names takes part with its own priority and absorbs what it says.
class Catalog {
public:
    explicit Catalog(std::vector<ImplementationPtr> all, StrategyBook book = {},
                     std::vector<std::shared_ptr<const Library>> libraries = {},
                     std::optional<Measurements> measured = {}); // absent: no log was named

    const std::vector<ImplementationPtr>& all() const { return m_all; }
    const StrategyBook& book() const { return m_book; }
    const Measurements* measurements() const { return m_measured ? &*m_measured : nullptr; }
    ImplementationPtr find(std::string_view name) const; // null if there is none
    // Warnings: entries of the books that no code stands behind.
    Diags entriesWithoutCode() const;

    Selection select(const Workload& anchor, const Target& target, const Wishes& wishes = {}) const;

    // Whatever may compute the anchor has to take it; of branches, calls of libraries need not:
    // they are a part of what computes the group then. Answer::open: the chain that an entry
    // absorbs goes on behind `next` and does not end there.
    Answer absorbsEpilogue(const Selection& by, const Growing& group, const Workload& next) const;
    Answer absorbsPrologue(const Selection& by, const Workload& before,
                           const Workload& anchor) const;
    // Canonical names of the libraries that may be used for the target.
    std::vector<std::string> libraries(const Target& target) const;
    std::shared_ptr<const Library> library(std::string_view name) const;      // null: there is none
    std::string whyNot(std::string_view library, const Target& target) const; // empty: it may

private:
    struct Offers;
    struct KnownOffers;
    struct PreparedChain;
    const PreparedChain& chainOf(const std::string& name) const;
    Answer takesEpilogue(const Computing& by, const Growing& group, const Workload& next) const;
    Answer takesPrologue(const Computing& by, const Workload& before, const Workload& anchor) const;
    Answer inChain(const Absorbs& absorbs, const Growing& group, const Workload& next) const;
    const Offers& offersOf(const Workload& anchor, const Target& target) const;
    // `timed`: the workload whose times the log has; empty: it has none.
    Candidates candidatesFor(const Workload& anchor, const Target& target, const Wishes& wishes,
                             const std::string& timed) const;
    bool isUntuned(const Candidates& candidates) const;
    // The last one with other values of its knobs, which a pin or the log names.
    void addSettings(Candidates& candidates, const Workload& anchor, const Target& target,
                     const Wishes& wishes, const std::string& timed) const;
    ImplementationPtr codeOf(const MergedEntry& entry) const; // null if there is none
    Candidate judge(const MergedEntry& entry, const Workload& anchor, const Target& target,
                    const Offer& offered, const std::vector<Avoided>& avoided,
                    const std::string& timed) const;

    std::vector<ImplementationPtr> m_all;
    std::vector<ImplementationPtr> m_scheduled; // of the book's schedules: for entries only
    // Entries of the shipped book that schedules compute: a name of code, as any of ours.
    std::vector<std::pair<std::string, ImplementationPtr>> m_shipped;
    StrategyBook m_book;
    std::vector<std::shared_ptr<const Library>> m_libraries;
    std::optional<Measurements> m_measured;
    std::shared_ptr<KnownOffers> m_offers; // by copies in common
};

// The implementations whose code we generate by templates. Those by schedules stand in the shipped
// book.
const std::vector<ImplementationPtr>& generatedImplementations();
// These, with the shipped book.
const Catalog& generatedCatalog();
// These and those of the libraries, with the given book.
Catalog catalogOf(const std::vector<std::shared_ptr<const Library>>& libraries, StrategyBook book,
                  std::optional<Measurements> measured = {});

} // namespace fw
