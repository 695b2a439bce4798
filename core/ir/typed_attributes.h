// Attributes as their operator declares them.
#pragma once

#include "ir/operator.h"

namespace fw {

// An integer that is written for a real attribute becomes that real, so one value is one node.
void typeReals(Attrs& attrs, const Operator& op);

} // namespace fw
