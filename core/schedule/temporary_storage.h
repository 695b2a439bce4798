// How the temporaries of a group lie in memory.
#pragma once

#include "schedule/schedule_planner.h"

namespace fw {

// Of temporaries that a product with constants writes the axis along which the constants can be
// packed lies innermost, and of those that are computed of them element by element.
StorageMaps lanesInnermost(const SchedulePlanner& planner);

} // namespace fw
