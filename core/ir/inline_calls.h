// The bodies of calls in place of the calls: what is rewritten, planned and run.
#pragma once

#include "ir/graph.h"

namespace fw {

bool hasCalls(const Graph& graph);

// Every call is replaced by the nodes of the body that it stands for, calls inside included. They
// are named CALL/NAME and stand for what the call stands for; the results keep the names that the
// call gave them. Ids of other nodes stay. Without calls the graph itself. Bodies of other
// operators stay as they are.
Result<GraphPtr> inlineCalls(const GraphPtr& graph);
Result<GraphPtr> inlineCalls(const Graph& graph); // a copy where there are none

} // namespace fw
