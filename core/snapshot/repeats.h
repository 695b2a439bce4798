// Parts of a sequence that come again right behind themselves: "a b c a b c a b c d" has "a b c"
// three times at 0. What is equal is said by labels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fw::snapshot {

struct Repeat {
    std::size_t first = 0;
    std::size_t period = 0;
    std::size_t length = 0; // of the run; it may end within a copy, and begin anywhere in one

    std::size_t copies() const { return length / period; }
    bool operator==(const Repeat&) const = default;
};

// Runs of at least two copies that do not overlap, in their order, of those that `wanted` takes.
// One that covers more goes first, so what repeats inside a copy is left to who looks into it.
// Periods of up to 8192; takes n log n.
std::vector<Repeat> repeatsIn(std::span<const std::uint64_t> labels,
                              const std::function<bool(const Repeat&)>& wanted);

} // namespace fw::snapshot
