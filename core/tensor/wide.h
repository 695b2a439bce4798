// How operators compute in f16 and bf16: every step in f32, rounded once where a result is written.
#pragma once

#include "ir/op_inst.h"

namespace fw {

// The computation of one operator, as it is run. Of an operator that reads or gives f16 or bf16:
//   - arithmetic, sums and products of such values are made in f32, of which each is a value;
//   - what it keeps between stages is f32, results included that its own stages read;
//   - a cast to f16 between them is one to f32, unless another cast reads it;
//   - a result is rounded as it is written: cast() of a map, a store of a narrower type of a sum.
// What only moves or picks values stays in its type. A result that is read keeps its name for what
// is read; the rounded one, still the output at its place, has another.
// Others come back as they are. What is joined of several operators keeps the type of every value
// that a graph names, so this is for single operators, before they are joined.
OpInst widened(const OpInst& inst);

} // namespace fw
