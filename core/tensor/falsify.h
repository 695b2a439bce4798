// Tries to prove the facts of an operator wrong on one small instance: perturbs single elements of
// the operands and looks which elements of the first output change. What a pass relies on must
// survive this: an elementwise operand moves only its own element, a broadcast one at most its
// share, a reduced one at most one element, and an operand that may be overwritten only its own
// element.
#pragma once

#include "ir/operator.h"

#include <cstdint>

namespace fw {

// Also checks that inference, the computation and its result agree on types. Every dim of the call
// is fixed. UnsafeAccess, ShapeMismatch or TextType with the counterexample.
Status falsifyFacts(const Operator& op, const OpCall& call, std::uint64_t seed);
// How often that computes the instance, at most.
double evaluationsOf(const OpInst& inst);

// The same for an operator that a book declares at `place`. Facts come from its text alone, so a
// counterexample is a mistake of the program (Internal), and the sentence says so.
Status factsHold(const Operator& op, const OpCall& call, const Where& place);

} // namespace fw
