// Calls that the type inference of an operator takes, found once for all drawings of it: what is
// drawn beside operands that are given follows one of them by analogy.
#pragma once

#include "ir/operator.h"

#include <vector>

namespace fw {

// A few, of so many operands and of f32 where that fits; empty if none was met. The same ones for
// the same text of the operator, whatever was drawn before. From several threads.
std::shared_ptr<const std::vector<OpCall>> fittingCalls(const Operator& op, std::size_t operands);

} // namespace fw
