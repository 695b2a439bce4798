// Catalog: what may compute nodes, and the choice among it.
#pragma once

#include "strategy/library.h"
#include "strategy/selection.h"

namespace fw {

class Chains;

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
    // Those that `by` may name: implementations, then entries that schedules of ours compute.
    std::vector<std::string> codeNames() const;

    Selection select(const Workload& anchor, const Target& target, const Wishes& wishes = {}) const;

    // Whatever may compute the anchor has to take it; of branches, calls of libraries need not:
    // they are a part of what computes the group then. Acceptance::open: the chain that an entry
    // absorbs goes on behind `next` and does not end there.
    Acceptance absorbsEpilogue(const Selection& by, const Growing& group,
                               const Workload& next) const;
    Acceptance absorbsPrologue(const Selection& by, const Workload& before,
                               const Workload& anchor) const;
    // Canonical names of the libraries that may be used for the target.
    std::vector<std::string> libraries(const Target& target) const;
    std::shared_ptr<const Library> library(std::string_view name) const;      // null: there is none
    std::string whyNot(std::string_view library, const Target& target) const; // empty: it may

private:
    struct Offers;
    struct OfferMemo;
    Acceptance takesEpilogue(const Computing& by, const Growing& group, const Workload& next) const;
    Acceptance takesPrologue(const Computing& by, const Workload& before,
                             const Workload& anchor) const;
    Offers offersFor(const Workload& anchor, const Target& target) const;
    ImplementationPtr codeOf(const MergedEntry& entry) const; // null if there is none
    // `timed`: the workload whose times the log has; empty: it has none.
    Candidates candidatesFor(const Workload& anchor, const Target& target, const Wishes& wishes,
                             const std::string& timed) const;

    std::vector<ImplementationPtr> m_all;
    std::vector<ImplementationPtr> m_scheduled; // of the book's schedules: for entries only
    // Entries of the shipped book that schedules compute: a name of code, as any of ours.
    std::vector<std::pair<std::string, ImplementationPtr>> m_shipped;
    StrategyBook m_book;
    std::vector<std::shared_ptr<const Library>> m_libraries;
    std::optional<Measurements> m_measured;
    std::shared_ptr<OfferMemo> m_offers; // by copies in common
    std::shared_ptr<Chains> m_chains;    // as well
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
