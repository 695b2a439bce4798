// The class of work of a computation (ir/facts.h), read from its indices.
#pragma once

#include "ir/facts.h"
#include "ir/op_inst.h"

namespace fw {

// `kind`: that of the whole computation. A free extent counts as many.
WorkClass workClassOf(const OpInst& inst, FusionKind kind);

} // namespace fw
