// The machine that a time of a tuning log belongs to.
#pragma once

#include "target/target.h"

#include <string>

namespace fw {

// Code and threads of the target, levels that libraries are held to, and the CPU: with it ends the
// text of every workload, workloadText().
std::string workloadMachine(const Target& target);

// Its part about libraries: "onednn=avx2 openblas=Haswell"; empty: none is held.
std::string heldLevels(const Target& target);

} // namespace fw
