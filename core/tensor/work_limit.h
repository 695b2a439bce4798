// How much one computation may be. Extents come from books, attributes and models, so any number
// may stand there: a loop over 2^62 would never end.
#pragma once

#include "base/result.h"
#include "ir/op_inst.h"

namespace fw {

// Points of the axes of a stage, those that it reduces among them, where they are numbers.
inline constexpr std::int64_t mostPoints = std::int64_t(1) << 48;          // by compiled code
inline constexpr std::int64_t mostReferencePoints = std::int64_t(1) << 36; // one after another

// The points of a box, negative extents as 0; nullopt if there are more than `most`.
std::optional<std::int64_t> pointsWithin(const std::vector<std::int64_t>& extents,
                                         std::int64_t most);

// LimitReached if the stage has more than `most` points, whatever its free dimensions are: those
// count as 1.
Status checkPoints(const Stage& stage, std::int64_t most = mostPoints);

// For those who interpret: what is said of a stage with these extents.
Diag tooManyPoints(const Stage& stage, const std::vector<std::int64_t>& extents, std::int64_t most);

} // namespace fw
