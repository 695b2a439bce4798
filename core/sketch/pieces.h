// Tensors that several stages write, as the language has them.
#pragma once

#include "ir/op_inst.h"

namespace fw {

// A tensor that several stages write, one behind the other along an axis, as the language has it:
// each piece by itself, then one statement that picks the piece. Usage where they lie otherwise.
Result<OpInst> inOnePiece(OpInst inst);

} // namespace fw
