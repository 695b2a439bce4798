// What the signature of an operator lets through: small calls of it with each element type in turn.
#pragma once

#include "library/instances.h"

namespace fw::test {

// The element type that the signature gives each of `count` operands: "T", "i64".
std::vector<std::string> operandTypes(const Operator& op, std::size_t count);

// One call, with what each operand is for.
struct Drawn {
    OpCall call;
    std::vector<bool> places; // operands that are indices or sizes, not numbers to compute with
    std::string what;         // "trilu(bool[2, 3, 4])"
};

// The instance with every element type in place of each type variable and of each attribute that is
// a type, with the attributes as they are and with others in place of those that are defaults.
std::vector<Drawn> callsOf(const Operator& op, const Instance& instance);

// The element types that a call has for the type variables of the signature and for attributes:
// "T is f32", "to is i64".
std::set<std::string> choicesOf(const Operator& op, const OpCall& call);

} // namespace fw::test
