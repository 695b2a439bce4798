// Maps that are computed wherever they are read.
#pragma once

#include "loop/loop.h"

namespace fw {

// The group with `stage` (a map) computed wherever it is read.
Result<OpInst> inlineStage(const OpInst& inst, std::size_t stage);

// 0 <= index < extent in every dimension, without the parts that hold for all values of the axes.
Expr insideShape(const Exprs& indices, const Shape& shape);

} // namespace fw
