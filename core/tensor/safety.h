// Proofs that indices lie inside a tensor. A read that is not proved must be guarded or is refused,
// so a kernel never touches memory outside its operands.
#pragma once

#include "expr/simplify.h"
#include "ir/op_inst.h"

namespace fw {

bool isClamped(const Expr& index); // max(min(e, high), 0)

// Whether a clamped index counts as one of a tensor that has elements, unless its extent is 0; or
// only where that is proved.
enum class Empty : std::uint8_t { Excluded, Possible };

// Every index proved in 0 .. extent - 1, wherever it is asked for: nowhere, if an axis is empty.
bool inRange(const Exprs& indices, const Shape& extents, const Ranges& ranges,
             Empty operand = Empty::Excluded);

// An index that is proved to lie below 0 or beyond its extent.
bool outOfRange(const Exprs& indices, const Shape& extents, const Ranges& ranges);

// Whether an index leaves 64 bits on its way, even at small sizes: a number in it does so. What
// compares it with an extent would compare what is left of it.
bool leaves64Bits(const Expr& index, const Ranges& ranges);

// As many elements are written as every output has. UnsafeAccess where another number is proved.
Status checkCoverage(const OpInst& inst);

// The whole computation: unguarded reads and all writes. UnsafeAccess names the first offender.
Status checkSafety(const OpInst& inst, const std::vector<Expr>& assumptions = {});

} // namespace fw
