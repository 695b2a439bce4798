// A group whose implementation is a library's: its call, with what the plan says about memory.
#pragma once

#include "extern/extern.h"
#include "fusion/plan.h"

namespace fw {

// LibraryFailed with the library's word: then a generated kernel computes the group.
Result<ExternCall> libraryCall(const Graph& graph, const FusionPlan& plan, const Group& group,
                               const Target& target);

} // namespace fw
