// What an operator requires of its calls: conditions over its attributes, over the dims that its
// operands bind, over their element types and over their elements.
#pragma once

#include "condition/condition.h"
#include "tensor/tree_evaluator.h"

namespace fw {

// What is wrong with them as they are written.
Diags checkRequirements(const OpTree& op, const std::string& file);

// Refuses a call for which one does not hold or cannot be decided (ShapeMismatch); what depends on
// free dimensions is assumed.
Result<std::vector<Assumption>> demandRequirements(const OpTree& op, const Names& names);

// The same of the elements of operands, each for itself; of several operands in one requirement
// each has one element. Those that are not known (nullptr), and absent ones, meet it.
bool requiresOfElements(const OpTree& op);
std::vector<ElementDemand> demandsOfElements(const OpTree& op, const Names& names,
                                             const std::vector<const TensorData*>& known);

// Whether `requires` says something of one of the extents, in whatever way.
bool asksOf(const OpTree& op, const Names& names, const Shape& shape);

} // namespace fw
