// The rules of a book as the driver takes them: made once for graphs with certain operators, found
// sound, and with what is the same at every graph. Who rewrites checks nothing.
#pragma once

#include "rewrite/driver.h"
#include "rewrite/rule_reach.h"

namespace fw {

class Rule {
public:
    // Refused with the first thing that is wrong with it.
    static Result<std::shared_ptr<const Rule>> make(std::shared_ptr<const RuleTree> tree,
                                                    const OperatorSet& operators,
                                                    const PatternTable& table);

    const RuleTree& tree() const { return *m_tree; }
    const PreparedPatterns& patterns() const { return m_patterns; }
    const RuleReach& reach() const { return m_reach; }

private:
    Rule(std::shared_ptr<const RuleTree> tree, const PatternTable& table);

    std::shared_ptr<const RuleTree> m_tree;
    PreparedPatterns m_patterns;
    RuleReach m_reach;
};

struct RuleSet {
    std::vector<std::shared_ptr<const PatternDeclTree>> patterns; // of the table
    PatternTable table;
    // Beside RuleBook::entries; null: a built-in rewrite.
    std::vector<std::shared_ptr<const Rule>> rules;
};

// Refused with the first error of a pattern or a rule. Both are kept for who asks again, about this
// book or another one with the same patterns. From several threads.
Result<std::shared_ptr<const RuleSet>> rulesOf(const RuleBook& book,
                                               const std::shared_ptr<const OperatorSet>& operators);

} // namespace fw
