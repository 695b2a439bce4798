// From the statements of an operator and one call to an OpInst: packs expanded, attributes
// substituted, nested reductions hoisted into stages of their own, indices canonical, every read
// proved in range or guarded (else UnsafeAccess), every write proved in range.
#pragma once

#include "tensor/binding.h"

namespace fw {

Result<OpInst> instantiateOp(const OpTree& op, const std::string& file, const Binding& binding);

} // namespace fw
