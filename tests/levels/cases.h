// Graphs that the levels are tested with: every kind of call with everything that may be fused to
// it, and values in every storage that a plan gives them.
#pragma once

#include "graph/builder.h"

#include <functional>
#include <string>
#include <vector>

namespace fw::test {

struct LevelCase {
    std::string name;
    std::function<GraphPtr()> make;
    bool winograd = false; // pinned to it, where it is to be had
};

// What a call is followed by: one operator or several, operands of every kind.
std::vector<LevelCase> tailCases();
// Views, concats, channels-last chains, blocks of channels, free dimensions.
std::vector<LevelCase> layoutCases();

} // namespace fw::test
