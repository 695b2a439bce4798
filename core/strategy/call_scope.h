// The names that a block of implementations gives to the parts of a call: dims of the signature,
// attributes, operands, `result`, and what `let` names.
#pragma once

#include "condition/condition.h"
#include "strategy/implementation.h"
#include "syntax/strategy.h"

namespace fw {

// Refused with a sentence if the call does not fit the block's own signature. The values refer to
// the graph of the workload.
Result<Scope> callScope(const ImplementationsTree& block, const Workload& workload);

// `op` is nullptr for a block of a kind.
Vocabulary callVocabulary(const ImplementationsTree& block, const Operator* op);
Diags checkGuards(const ImplementationsTree& block, const Operator* op,
                  const std::vector<std::string>& targetKeys, const std::string& file);

} // namespace fw
