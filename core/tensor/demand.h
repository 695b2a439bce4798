// What must hold of the dimensions of a call: refused if it never does, assumed if that depends on
// free dimensions, forgotten if it always does.
#pragma once

#include "ir/operator.h"

namespace fw {

// The sentence names the dimensions with their extents: it is the error (ShapeMismatch) where they
// are known, and the words of the assumption where they are not.
Status demand(std::vector<Assumption>& assumptions, const Expr& condition, std::string sentence);

} // namespace fw
