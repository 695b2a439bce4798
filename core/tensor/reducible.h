// What a reducer takes.
#pragma once

#include "ir/op_inst.h"

namespace fw {

// Sums and products are of numbers; the largest and the smallest are of truths, too.
inline bool isReducible(Reducer reducer, DType dtype) {
    return dtype != DType::Text &&
           (dtype != DType::Bool || reducer == Reducer::Max || reducer == Reducer::Min);
}

} // namespace fw
