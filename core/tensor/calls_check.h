// What is wrong with the body of an operator that stands for calls (tensor/calls.h).
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

namespace fw {

// Whatever is called: names that are unknown or used twice, results that nothing gives.
Diags checkCallStatements(const OpTree& op, const std::string& file);

// Of its calls: operators that there are, as many operands as each takes, attributes that it has.
Diags checkCallsOf(const OpTree& op, const OperatorSet& operators, const std::string& file);

struct CallTrials {
    int fitting = 0;           // small calls that fit the signature
    std::optional<Diag> wrong; // a warning
};

// Whether the operators that it calls take what it gives them, on small calls
// (tensor/small_calls.h): a warning where they never do, or never where its optional operands are
// absent, at the call that is refused. What is drawn may miss the calls that an operator is for, so
// it is no error.
CallTrials tryCallsOf(const OpTree& op, const OperatorSet& operators, const std::string& file);

} // namespace fw
