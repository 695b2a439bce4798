// Runs a loop nest on buffers, slowly and in plain sight: the judge of code generation.
//
// Values are double or int64 whatever the dtype; stores round or wrap to the dtype, those of f16
// and bf16 to a local buffer to f32, which it holds in machine code. Register and Stack buffers
// start as NaN, so a read before the first write shows. Every access is checked against the
// buffer's size, and iterations of a parallel loop may not touch what another one writes.
#pragma once

#include "loop/loop.h"

#include <span>

namespace fw {

struct LoopValues {
    DType dtype = DType::F32;
    std::vector<double> real;          // if isFloat(dtype)
    std::vector<std::int64_t> integer; // else

    std::size_t size() const { return isFloat(dtype) ? real.size() : integer.size(); }
};
LoopValues loopValues(DType dtype, std::size_t count); // zeros

enum class StoreRounding : std::uint8_t { Exact, ToDtype };

// One entry per parameter; a value for every symbol. LoopInvalid with the statement on a bad
// access; LimitReached once `steps`, if given, are used up: loads, stores and
// iterations; those that are left stay in it.
Status interpret(const LoopNest& nest, std::span<LoopValues> parameters, const Bindings& symbols,
                 StoreRounding rounding = StoreRounding::ToDtype, std::uint64_t* steps = nullptr);

} // namespace fw
