// What all code that we generate takes along.
//
// An epilogue is taken if it reads the value element by element. A prologue is taken only where an
// element is read a fixed small number of times: maps and row-wise operators, never a contraction,
// which would compute it again for every output tile.
#pragma once

#include "strategy/implementation.h"
#include "strategy/machine.h"

namespace fw {

// What our code reaches where nothing was measured.
std::span<const Efficiency> ownEfficiencies();
// Why own code took it in: "relu at the store of generated.tiled".
std::string epilogueSentence(const std::string& op, const std::string& implementation);

// Whether code of ours can compute an operator of kind `before` where one of kind `anchor` reads
// it: maps, and movements whose indices compose with those of another movement.
bool mayPrecede(FusionKind before, FusionKind anchor);

class GeneratedCode : public Implementation {
public:
    fw::Answer absorbsEpilogue(const Growing& group, const Workload& next) const final;
    fw::Answer absorbsPrologue(const Workload& before, const Workload& anchor) const final;
    LayoutWish wants(const Graph& graph, const Node& node, const Target& target) const final;

protected:
    // The share that loops without vectors reach of what the best schedule does.
    static constexpr double withoutLanes = 0.03;

    // With the schedule that suits its class of work; `share`: of that efficiency.
    static double estimateOwn(const Facts& work, const Target& target, double share);

private:
    virtual bool takesPrologue(FusionKind anchor) const = 0;
};

} // namespace fw
