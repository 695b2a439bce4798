// What keeps a model from being run, whatever computes it. `fw info` tells it, and whoever runs a
// model asks before anything is compiled.
#pragma once

#include "ir/graph.h"

namespace fw {

// Causes before what follows from them; empty if nothing does. Beside obstacles(): text that a
// program would be given or give, values that are larger than the memory of this machine, and
// conditions on free dimensions that no sizes meet.
Diags reasonsNotToRun(const Graph& graph);

} // namespace fw
