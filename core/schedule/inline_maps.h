// Which maps a default schedule computes where they are read.
#pragma once

#include "schedule/schedule_planner.h"

namespace fw {

// What is computed of a sum is inlined into the window of another only where `Anywhere`: it
// would be computed for each of the windows that read it. A movement that keeps the runs of
// memory is inlined into sums only where `OncePerElement`: for nests apart they are read once
// more than they need be, but in a row.
enum class Inlining : std::uint8_t { Anywhere, OncePerElement };

// Before any other step.
void inlineMaps(SchedulePlanner& planner, Inlining which = Inlining::Anywhere);

} // namespace fw
