// Proofs that indices lie inside a tensor. A read that is not proved must be guarded or is refused,
// so a kernel never touches memory outside its operands.
#pragma once

#include "expr/simplify.h"
#include "ir/op_inst.h"

namespace fw {

// Every index proved in 0 .. extent - 1. A clamped index counts as in range if its bounds are.
bool inRange(const Exprs& indices, const Shape& extents, const Ranges& ranges);

// An index that is proved to lie below 0 or beyond its extent.
bool outOfRange(const Exprs& indices, const Shape& extents, const Ranges& ranges);

// As many elements are written as every output has. UnsafeAccess where another number is proved.
Status checkCoverage(const OpInst& inst);

// The whole computation: unguarded reads and all writes. UnsafeAccess names the first offender.
Status checkSafety(const OpInst& inst, const std::vector<Expr>& assumptions = {});

} // namespace fw
