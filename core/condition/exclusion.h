// Conditions over free dimensions that hold at no sizes that there can be.
#pragma once

#include "expr/expr.h"

namespace fw {

// True if it is proved that no sizes from 0 to largestBoundDim meet the condition and all of
// `known`. What is too long to be looked at (64 alternatives) is not proved.
bool holdsNowhere(const Expr& condition, const Exprs& known = {});

// Of conditions those that speak of a free dimension of `about`, directly or by others; of many the
// first.
Exprs relevantTo(const Expr& about, const Exprs& known);

} // namespace fw
