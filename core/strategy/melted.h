// generated.melted: nests of a group inside the loops of the nest that reads them
// (schedule/melted.h).
//
// It is a candidate of groups that a fusion rule wants melted, and of entries of a book that name
// it; no shipped entry does.
#pragma once

#include "schedule/melted.h"
#include "strategy/implementation.h"

namespace fw {

// By Melt::WherePays it refuses a group for which nests one behind the other cost less.
const ImplementationPtr& meltedImplementation(Melt how = Melt::WherePays);

} // namespace fw
