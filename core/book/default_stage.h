// Where rules stand that do not say it: in the first stage, but rules about operators whose weights
// take over what follows (batch norms, factors) behind all rules of the library that do that.
#pragma once

#include "book/book.h"

namespace fw {

// Operators into whose constant operands the simplifications of the first `shipped` books compute
// others, and these others.
struct Folding {
    std::set<std::string> into, folded;
};
Folding foldingOf(const std::vector<ReadBook>& books, std::size_t shipped,
                  const PatternTable& patterns, const OperatorSet& operators);

// Whether a rule takes operators before anything is folded into them: it names one of `into`, and
// nothing that may be folded.
bool standsBeforeFolding(const RuleTree& rule, const Folding& folding,
                         const PatternTable& patterns);

// Puts such rules of the books behind the first `shipped` ones, where they name no stage, before
// fusion. `asShipped`: of each book, whether it is a text of the program, which stays as it is.
void placeRules(std::vector<ReadBook>& books, std::size_t shipped,
                const std::vector<bool>& asShipped, const PatternTable& patterns,
                const OperatorSet& operators);

} // namespace fw
