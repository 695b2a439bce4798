// What an operator requires of its calls: conditions over its attributes, over the dims that its
// operands bind and over their element types.
#pragma once

#include "condition/condition.h"
#include "tensor/tree_evaluator.h"

namespace fw {

// What is wrong with them as they are written.
Diags checkRequirements(const OpTree& op, const std::string& file);

// Refuses a call for which one does not hold or cannot be decided (ShapeMismatch); what depends on
// free dimensions is assumed.
Result<std::vector<Assumption>> demandRequirements(const OpTree& op, const Names& names);

// Whether `requires` says something of one of the extents, in whatever way.
bool asksOf(const OpTree& op, const Names& names, const Shape& shape);

} // namespace fw
