// Holds an OpInst against its rules, as it must be after every step that builds or changes one.
//
// Tensors are declared once and axis variables are unique; a stage uses its own axes and free
// dimensions only; it writes a declared output or temporary with as many indices as dimensions and
// with its element type (a reduction in f32 may write f16 or bf16, which rounds it); every read has
// the rank and the element type of its tensor and comes after all writes of it; every output is
// written, element by element as far as counting can tell; no read or write that is made, whatever
// the free dimensions from 1 on, is proved to lie outside (a read under pad() or select() may, and
// where an axis may be empty there may be none). What the graph assumes of free dimensions holds:
// it may be that an axis is empty.
#pragma once

#include "base/result.h"
#include "ir/op_inst.h"
#include "ir/operator.h"

namespace fw {

// Internal with the stage and the rule it breaks. Linear in the size of the stages.
// `assumptions` are conditions on the free dimensions.
Status verify(const OpInst& inst, const std::vector<Assumption>& assumptions = {});

} // namespace fw
