// Proofs that the statements of an operator write every element of its outputs once. What is
// written twice would depend on the order of the iterations, what is not written on what lay there
// before.
#pragma once

#include "expr/simplify.h"
#include "ir/op_inst.h"

namespace fw {

struct WriteProblem {
    std::size_t stage = 0; // the last one that writes the output
    std::string what;      // "y[0] is written more than once"
    std::string hint;
};

// `known` holds the ranges of free dimensions. Sizes that are numbers are counted through where
// nothing is proved, up to a million points; else what cannot be proved is a problem.
std::optional<WriteProblem> writeProblem(const OpInst& inst, const Ranges& known);

} // namespace fw
