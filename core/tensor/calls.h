// An operator whose body is calls of others: `-> y { let m = reduce_mean(x)  y = sub(x, m) }`. It
// is never part of a graph: where it is read, those calls take its place (ir/operator.h,
// CallSequence).
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

namespace fw {

// What such a body says wrongly whatever is called: names that are unknown or used twice, results
// that nothing gives.
Diags checkCallStatements(const OpTree& op, const std::string& file);

// Of its calls: operators that there are, as many operands as each takes, attributes that it has.
Diags checkCallsOf(const OpTree& op, const OperatorSet& operators, const std::string& file);

std::shared_ptr<const Operator> operatorOfCalls(std::shared_ptr<const OpTree> tree,
                                                const std::string& file);

} // namespace fw
