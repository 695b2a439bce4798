// Runs loops once on values that are made up, for the sake of their accesses.
//
// Numbers are small, integers reach far beyond any extent as well, so that an index which is read
// and not brought into range leaves its tensor. What is computed is thrown away.
#pragma once

#include "loop/interpret.h"

namespace fw {

enum class TrialEnd : std::uint8_t { Done, TooLong };

// LoopInvalid with the first bad access, as interpret() finds it. `symbols` has a value for every
// symbol of the nest. TooLong: nothing was found in as many loads, stores and iterations as `steps`
// says, or a buffer is too large. What is left stays in `steps`.
Result<TrialEnd> tryLoops(const LoopNest& nest, const Bindings& symbols, std::uint64_t& steps);

} // namespace fw
