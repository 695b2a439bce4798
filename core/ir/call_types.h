// The types on the way through the calls that an operator stands for (ir/operator.h, CallSequence).
#pragma once

#include "ir/operator.h"

namespace fw {

using KnownTypes = std::vector<std::optional<TensorType>>; // nothing: not known, or absent

// One of the calls, of `called`, with the types of its operands. `whole` is the call of the
// operator that stands for them, `made` are the types of what the calls before this one make. A
// number has the element type of the first operand whose type is known. Attributes that are
// operands are left out.
OpCall typedCall(const CallSequence::Call& one, const Operator& called, const OpCall& whole,
                 const std::vector<KnownTypes>& made);

// An integer for an attribute `float` is that number.
AttrValue asAttribute(const Operator& called, const std::string& name, AttrValue value);

// The type of a result of the operator, or of an operand of one of its calls.
std::optional<TensorType> typeOf(const CallSequence::Operand& operand, const OpCall& whole,
                                 const std::vector<KnownTypes>& made, DType ofNumbers);

} // namespace fw
