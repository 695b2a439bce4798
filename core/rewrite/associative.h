// Whether calls of an operator may be nested as one likes while their operands keep their order.
#pragma once

#include "ir/operator.h"

namespace fw {

// Derived from its text: a product of matrices, sum(k in K : a[m, k] * b[k, n]), or max, min of
// sums.
bool isAssociative(const Operator& op);

} // namespace fw
