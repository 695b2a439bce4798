// Terms over the integers modulo 2^61 - 1 at random places. Two terms of + - * / that are no
// identity agree there with a probability of about their degree / 2^61 (J. T. Schwartz, "Fast
// probabilistic algorithms for verification of polynomial identities", 1980), so agreement is as
// good as a proof over the reals.
//
// Operations that are no arithmetic get random values by operation and operands: what agrees then
// agrees whatever they compute; so do conversions that round, cut, or read an integer that may have
// wrapped. Arithmetic of integers is that of a ring, wherever it wraps. exp(x + y) = exp(x) exp(y)
// is known, sigmoid and tanh are made of exp.
#pragma once

#include "verdict/terms.h"

namespace fw {

std::uint64_t oppositeInField(std::uint64_t value);

// The value of every term.
std::vector<std::uint64_t> fieldValues(const Terms& terms, std::uint64_t seed);

} // namespace fw
