// The program of a module: tensors, their memory, steps. Knows nothing of machine code.
#pragma once

#include "extern/call.h"
#include "fusion/group_body.h"
#include "loop/loop.h"
#include "module/constants.h"
#include "module/in_place.h"
#include "runtime/program.h"

namespace fw {

// One group with its loops: which value stands behind each parameter of the nest.
struct LoweredGroup {
    const Group* group = nullptr;
    GroupBody body;
    LoopNest nest;
    std::map<Symbol, StorageMap> packs; // of constant inputs
    std::vector<InPlace> inPlace;
    int kernel = -1;                // set before assembling
    std::optional<ExternCall> call; // then the library computes it, and there is no nest
};

struct Assembled {
    runtime::Program program;
    AlignedBytes weights;
};

// `groups` holds every group that is not a view, by group id.
Result<Assembled> assemble(const Graph& graph, const FusionPlan& plan, const Target& target,
                           const std::map<int, LoweredGroup>& groups, std::size_t kernelCount);

} // namespace fw
