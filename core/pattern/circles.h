// Declared patterns and chains that name each other.
#pragma once

#include "pattern/match.h"

namespace fw {

// How many names may stand for each other, one inside the other.
inline constexpr int deepestNames = 200;

// Why a matcher would not come to an end of what the declaration names: it leads back to itself, or
// deeper than `deepestNames`. With the way: "a is made of itself: a, b, a". Empty if it ends.
std::string endlessNames(const PatternDeclTree& declaration, const PatternTable& table);

} // namespace fw
