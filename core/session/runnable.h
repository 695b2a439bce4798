// What keeps a model from being run, whatever computes it. `fw info` tells it, and whoever runs a
// model asks before anything is compiled.
#pragma once

#include "ir/graph.h"

namespace fw {

// Causes before what follows from them; empty if nothing does. Beside obstacles(): text that a
// program would be given or give, and values that are larger than any memory.
Diags reasonsNotToRun(const Graph& graph);

} // namespace fw
