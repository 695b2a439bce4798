// An operator whose body is calls of others: `-> y { let m = reduce_mean(x)  y = sub(x, m) }`. It
// is never part of a graph: where it is read, those calls take its place (ir/operator.h,
// CallSequence). What may be wrong with its text: tensor/calls_check.h.
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

namespace fw {

bool isLeftOut(const OutTree& out); // `_`: a result that it does not have
bool isChain(const Tree& tree);     // chain(op, a, b, ...): op(op(a, b), ...)
bool isChoice(const Tree& tree);    // select(condition, a, b) or given(operand, a, b)

// The calls that a call of it stands for. `places`: where the text says each of them.
Result<CallSequence> readCalls(const OpTree& op, const std::string& file, const OpCall& call,
                               std::vector<const Tree*>* places = nullptr);

std::shared_ptr<const Operator> operatorOfCalls(std::shared_ptr<const OpTree> tree,
                                                const std::string& file);

} // namespace fw
