// Forms of a chain that end inside it.
#pragma once

#include "pattern/declared.h"

#include <optional>

namespace fw {

// What a chain can have matched behind one of its steps where it may not end: of
// `bias(^)? >> (clip(^) >> cast(^))?` that is `bias(^)? >> clip(^)`. One pattern for all such
// places; nullopt if the chain may end behind each of its steps. Of patterns that name themselves,
// `dominated` and `assoc` the inside is not looked at.
std::optional<PatternTree> unfinished(const PatternTree& chain, const PatternTable& table);

} // namespace fw
