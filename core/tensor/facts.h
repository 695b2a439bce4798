// Facts of a computation, derived from its access maps (the classes: ir/facts.h).
#pragma once

#include "ir/facts.h"
#include "ir/op_inst.h"

namespace fw {

Facts deriveFacts(const OpInst& inst);

} // namespace fw
