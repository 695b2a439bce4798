// Holds a loop nest against its rules.
//
// V1 names are declared and not shadowed; V2 loads and stores are in range; V5 parallel iterations
// write apart; V8 register buffers are indexed by constants, unrolled variables and lanes only; V9
// parallel loops stand at the root, vector loops have a constant extent and no loop inside but
// unrolled ones, the same number of times in each lane; V10 lanes that write one element write the
// same value, whatever condition leaves one of them only. A broken rule is an error; an access or a
// disjointness that could not be proved is a finding, to be shown.
#pragma once

#include "loop/loop.h"

namespace fw {

struct LoopReport {
    Diags errors;                      // LoopInvalid
    std::vector<std::string> findings; // undecided, one sentence each

    bool ok() const { return errors.empty(); }
};

// Proofs that only tell an undecided access from a sound one take most of the time: a build does
// without them.
enum class LoopFindings : std::uint8_t { Skip, Tell };

LoopReport verifyLoops(const LoopNest& nest, LoopFindings findings = LoopFindings::Tell);

} // namespace fw
