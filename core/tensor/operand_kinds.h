// How stages read what they read, and what that makes of each operand of a computation.
#pragma once

#include "ir/facts.h"
#include "ir/op_inst.h"

namespace fw {

struct Access {
    Symbol tensor;
    Exprs indices;
};

std::vector<Access> accessesOf(const Stage& stage);
Shape extentsOf(const OpInst& inst, Symbol tensor); // empty: there is no such tensor

// How a map reads a tensor of `extents` at `indices` while it writes at its store. `written` are
// the extents of what it writes: a stage that writes a part of it moves elements.
FusionKind accessKind(const Stage& stage, const Exprs& indices, const Shape& extents,
                      const Shape& written);
FusionKind reductionKind(const Stage& stage);

// Per input, seen from the first output. No kind promises more than holds: ways to the output that
// differ, and what is spread and reduced, are of a kind that may reach any element.
std::vector<FusionKind> operandKinds(const OpInst& inst);

} // namespace fw
