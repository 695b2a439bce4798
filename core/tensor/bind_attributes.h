// The attributes of one call: those given, checked against what the operator declares, and the
// defaults of the others.
#pragma once

#include "ir/operator.h"
#include "tensor/tree_evaluator.h"

namespace fw {

// Defaults that speak of operands (their extents, their element type) wait for these.
enum class BoundSoFar : std::uint8_t { Nothing, Operands };

// Adds every declared attribute to `names`, in two steps: those that wait for operands behind them.
// Defaults are evaluated by `shapes`, so they may use what `names` holds so far.
// UnsupportedAttribute for one that is unknown, missing or of another type.
Status bindAttributes(const OpTree& op, const OpCall& call, TreeEvaluator& shapes, Names& names,
                      BoundSoFar bound);

// Whether attributes and numbers alone decide what a tree is.
bool isOfAttributes(const Tree& tree, const OpTree& op);

} // namespace fw
