// Selection: which implementation computes a node, why, and what it may absorb.
//
// Order of choice: a pin of the user, measurement, priority, estimated cost among equal priorities,
// the more specific key, order in the books. Every candidate keeps its verdict with the values of
// its guard, chosen or not.
#pragma once

#include "base/decision.h"
#include "strategy/book.h"
#include "strategy/measurements.h"

namespace fw {

// What the entry lets the implementation take; the implementation is asked as well.
struct Absorbs {
    AbsorbClause clause = AbsorbClause::Any;
    std::string chain;
    std::string place;
    std::shared_ptr<const TargetOffer> offer = {}; // of the target, for conditions of the chain
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
    Computing() = default;
    explicit Computing(const Candidate& by)
        : implementation(by.by), name(by.implementation), absorbs(by.absorbs) {}
    Computing(ImplementationPtr code, std::string entry, Absorbs takes)
        : implementation(std::move(code)), name(std::move(entry)), absorbs(std::move(takes)) {}

    ImplementationPtr implementation; // null: nothing accepts the node
    std::string name;                 // of the entry
    Absorbs absorbs;
};

// The entry computes the node at the sizes where this holds, and no earlier one does.
struct Branch : Computing {
    Branch(const Candidate& by, Expr where) : Computing(by), when(std::move(where)) {}

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
    // The candidate computes the node where no branch does.
    void take(const Candidate& by) { static_cast<Computing&>(*this) = Computing(by); }
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

// Priorities come before estimates; what that costs:
// The candidate that could compute it at every size with the least estimate, if that is less than
// the chosen one's by more than estimates and times are apart by chance (Measurements::margin);
// null: there is none.
const Candidate* cheaperReady(const Candidates& candidates, const Candidate& chosen);
// Whether there are several ways, and the log knows none of them. One alone, whose knobs stay as
// they are, is never measured.
bool isUntuned(const Candidates& candidates);

} // namespace fw
