// Everything that is wrong with the text of an operator, before anybody calls it.
//
// What the declaration says is checked as it stands; the statements are tried: the operator is
// instantiated on small operands (every pack of dimensions with ranks 0 to 4, extents 0, 1, equal
// and different ones, the defaults of its attributes, optional operands there and absent), with the
// first element types for which it has a meaning; names that `requires` asks something of have
// values for which it holds, too. An error in a statement is mended in the tried copy, so that the
// next one shows as well. On a few of the operands the facts that are derived from the text are
// held against the reference (tensor/falsify.h).
#pragma once

#include "base/result.h"
#include "syntax/op.h"

#include <memory>

namespace fw {

struct OperatorTrials {
    int fitting = 0; // operands that the operator takes
    int facts = 0;   // of them, on how many its facts were tried
};

// With line and column in `file`: unknown names, functions and reductions, reads and writes that
// may lie outside, types that do not fit. Empty if nothing is wrong, or if no operands were found
// that the operator takes: then `fitting` is 0. One that stands for calls is not tried.
Diags checkOperator(const OpTree& op, const std::string& file, OperatorTrials* trials = nullptr);

} // namespace fw
