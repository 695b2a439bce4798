// The program of a module: tensors, their memory, steps. Knows nothing of machine code.
#pragma once

#include "fusion/group_parts.h"
#include "module/constants.h"
#include "module/host_steps.h"
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
    std::vector<HostNode> hosts;
    std::shared_ptr<const AlignedBytes> weights;
    std::size_t packedBytes = 0; // of them, brought into their order now
};

// Every group of `parts.plan` with code has its lowering; `uses` holds those, by their id there.
// Results of opaque groups are inputs behind those of the graph. Steps say which group of the
// user's plan they are of. `known`: the weights of other modules, or null. LibraryFailed if a
// library cannot pack its weights.
Result<Assembled> assemble(const Graph& graph, const PlanOfParts& parts, const Target& target,
                           const std::map<int, KernelUse>& uses, std::size_t kernelCount,
                           KnownWeights* known = nullptr);

} // namespace fw
