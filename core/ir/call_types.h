// The types on the way through the calls that an operator stands for (ir/operator.h, CallSequence).
#pragma once

#include "ir/operator.h"

namespace fw {

using KnownTypes = std::vector<std::optional<TensorType>>; // nothing: not known, or absent

// One of the calls, of `called`, with the types of its operands. `whole` is the call of the
// operator that stands for them, `made` are the types of what the calls before this one make.
// Attributes that are operands are left out.
OpCall typedCall(const CallSequence::Call& one, const Operator& called, const OpCall& whole,
                 const std::vector<KnownTypes>& made);

// An integer for an attribute `float` is that number.
AttrValue asAttribute(const Operator& called, const std::string& name, AttrValue value);

// The element type of a number that is an operand: as the operator says, else that of the first
// operand whose type is known. `types` are those of the operands, where they are no numbers.
DType numberTypeIn(const Operator& called, const std::vector<std::optional<DType>>& types,
                   std::size_t at);

// The type of a result of the operator, or of an operand of one of its calls; f32 of a number.
std::optional<TensorType> typeOf(const CallSequence::Operand& operand, const OpCall& whole,
                                 const std::vector<KnownTypes>& made);

} // namespace fw
