// The reference interpreter: evaluates a computation stage by stage over logical indices, no
// layouts, no schedules, values in double (integers in 64 bits), rounded to the element type at
// every tensor store. With Precision::Steps every operation is rounded instead, which is what code
// in single precision gives where a quotient or a place lies at a tie.
//
// The slow, obvious version that judges the fast one; also folds constants. About 20 ns per
// multiply-add.
#pragma once

#include "base/cancel.h"
#include "ir/op_inst.h"
#include "ir/tensor_data.h"
#include "tensor/register_program.h"

namespace fw {

// One data per input of `inst`, in order. Free dimensions that stand alone in an input's type are
// read off its data; others need a binding. InputMismatch if shapes do not fit, DimUnbound,
// DimOverflow, Cancelled.
Result<std::vector<TensorData>> evaluate(const OpInst& inst,
                                         const std::vector<const TensorData*>& inputs,
                                         const Bindings& symbols = {},
                                         const CancelToken& cancel = {},
                                         Precision precision = Precision::Double);

} // namespace fw
