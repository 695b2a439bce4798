// What of a book of rules was found to be sound, so that who rewrites with it again does not check
// it again.
#pragma once

#include "rewrite/driver.h"

namespace fw {

// The first error of a pattern or a rule of the book; nullopt: there is none. From several threads.
std::optional<Diag> firstErrorOf(const RuleBook& book,
                                 const std::shared_ptr<const OperatorSet>& operators);

} // namespace fw
