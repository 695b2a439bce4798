// Small calls through the body of an operator that stands for calls (tensor/calls.h).
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

#include <optional>

namespace fw {

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
