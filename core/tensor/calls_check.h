// What is wrong with the body of an operator that stands for calls (tensor/calls.h).
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

namespace fw {

// Whatever is called: names that are unknown or used twice, results that nothing gives.
Diags checkCallStatements(const OpTree& op, const std::string& file);

// Of its calls: operators that there are, as many operands as each takes, attributes that it has.
Diags checkCallsOf(const OpTree& op, const OperatorSet& operators, const std::string& file);

} // namespace fw
