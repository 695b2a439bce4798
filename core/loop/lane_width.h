// How wide the values are that a vector holds one of in every lane: registers are divided by it.
#pragma once

#include "loop/loop.h"

#include <set>

namespace fw {

// Bytes of a value in a register; f16 and bf16 are f32 there.
std::int64_t registerBytes(DType dtype);

// The widest value that moves with one of the variables, of what is computed and read; 0 if there
// is none. Indices and truth values take the lanes of what they are used for.
std::int64_t laneBytes(const Expr& value, const std::set<Symbol>& vars);
// Of the statement, with what it stores.
std::int64_t laneBytes(const Stmt& stmt, Symbol var);

} // namespace fw
