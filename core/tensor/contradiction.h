// Requirements of an operator that no call can meet, or none that leaves an attribute out.
#pragma once

#include "base/diag.h"
#include "syntax/op.h"

namespace fw {

// Of requirements that are right as they are written. What is proved: with any extents from 0 on,
// any integers for attributes and any element types, they exclude each other; or the default of one
// attribute does, whatever the others are. Lists, texts and attributes of real numbers without
// their default may be anything.
Diags checkContradictions(const OpTree& op, const std::string& file);

} // namespace fw
