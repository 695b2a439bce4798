// Whether what is asked first leaves a later declaration anything: a rule that never acts because
// an earlier one takes a part of every match is a mistake of order.
//
// It is tried: on small random graphs in which the later one matches. What is found there is no
// proof, so one graph at which it acts is enough to say nothing.
#pragma once

#include "verdict/verdict.h"

namespace fw {

struct HiddenBy {
    std::string name; // that took a part of most matches
    int graphs = 0;   // that were tried
};

// A rule, by the entries of the book that stand before it. Where it was tried at this seed
// (verdict.h), what was drawn is not drawn again.
std::optional<HiddenBy> hiddenBy(const std::shared_ptr<const RuleTree>& rule, const RuleBook& book,
                                 const std::shared_ptr<const OperatorSet>& operators,
                                 std::uint64_t seed = 1, const RuleTrial* tried = nullptr);

// A fusion rule or composite, by others that claim operators first; in the order in which they are
// asked. Each is the rule of its declaration: match and where.
std::optional<HiddenBy> hiddenBy(const RuleTree& rule, const std::vector<const RuleTree*>& earlier,
                                 const PatternTable& table,
                                 const std::shared_ptr<const OperatorSet>& operators,
                                 std::uint64_t seed = 1);

} // namespace fw
