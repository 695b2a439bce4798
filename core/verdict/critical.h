// Critical pairs: two rules that want some of the same operators and, each with all the rules
// behind it, come to different graphs. Both are right then, but which is asked first decides what a
// model becomes.
//
// Found on small random graphs (overlap.h), so that silence is no proof that the order is free.
#pragma once

#include "rewrite/driver.h"

#include <memory>

namespace fw {

struct CriticalPair {
    GraphPtr graph;         // at which both match
    GraphPtr first, second; // what it becomes where the one acts first, and where the other does
};

// Pairs of rules of one book, which outlives it. What each rule needs is made once.
class CriticalPairs {
public:
    CriticalPairs(const RuleBook& book, std::shared_ptr<const OperatorSet> operators,
                  std::uint64_t seed = 1);
    ~CriticalPairs();

    // Whether patterns of the two, of one stage, want some of the same operators: else nothing is
    // drawn.
    bool overlap(const std::shared_ptr<const RuleTree>& one,
                 const std::shared_ptr<const RuleTree>& other);
    std::optional<CriticalPair> of(const std::shared_ptr<const RuleTree>& one,
                                   const std::shared_ptr<const RuleTree>& other,
                                   const CancelToken& cancel = {});

private:
    struct Prepared;
    const Prepared& prepared(const std::shared_ptr<const RuleTree>& rule);
    std::vector<PatternTree> laid(const std::shared_ptr<const RuleTree>& one,
                                  const std::shared_ptr<const RuleTree>& other);

    const RuleBook& m_book;
    const PatternTable m_table;
    const std::shared_ptr<const OperatorSet> m_operators;
    const std::uint64_t m_seed;
    std::map<const RuleTree*, std::shared_ptr<const Prepared>> m_rules;
    std::map<std::string, RuleBook> m_stages; // those of one stage, with folded constants behind
};

} // namespace fw
