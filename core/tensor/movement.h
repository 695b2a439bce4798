// What a computation that only hands elements on takes from where.
#pragma once

#include "ir/op_inst.h"

#include <optional>

namespace fw {

// A stage that writes a box of its result, a copy of a whole operand.
struct Piece {
    Symbol operand; // of OpInst::inputs
    Exprs offset;   // of its first element in the result, one per dimension
};

// Of a result that is put together from several operands, each of them once (concat): in the order
// of the operands.
std::optional<std::vector<Piece>> piecesOf(const OpInst& inst);

// A stage that takes a box of the first operand: the first index per dimension (slice, split).
std::optional<Exprs> boxOf(const Stage& stage, const OpInst& inst);

// Whether what `reader` computes side by side comes from different pieces of its operand, for which
// it divides an index along which they were put together (a shuffle of channels).
bool readsAcross(const std::vector<Piece>& pieces, const OpInst& reader, Symbol operand);

} // namespace fw
