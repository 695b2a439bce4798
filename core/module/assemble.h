// The program of a module: tensors, their memory, steps. Knows nothing of machine code.
#pragma once

#include "fusion/call_parts.h"
#include "module/constants.h"
#include "module/in_place.h"
#include "runtime/program.h"

namespace fw {

// The kernel that a group runs.
struct KernelUse {
    int kernel = -1; // -1: a library computes the group
    std::vector<InPlace> inPlace;
};

struct Assembled {
    runtime::Program program;
    AlignedBytes weights;
};

// Every group of `parts.plan` has its lowering; `uses` holds those that are not views, by their id
// there. Steps say which group of the user's plan they are of.
Result<Assembled> assemble(const Graph& graph, const PlanOfParts& parts, const Target& target,
                           const std::map<int, KernelUse>& uses, std::size_t kernelCount);

} // namespace fw
