// What calls of libraries did otherwise than it was planned, which only running tells: weights that
// are packed again for other sizes, parts that loops of ours compute.
#pragma once

#include "base/decision.h"
#include "module/load.h"

namespace fw {

// Of the last run of `module`; the subjects are steps.
Decisions ranOtherwise(LoadedModule& module);

// The same as notices, those that are not among `notices` yet.
void tellRanOtherwise(LoadedModule& module, std::vector<std::string>& notices);

} // namespace fw
