// Stage "partitioned": the regions of a plan, as text and as a graph.
#pragma once

#include "session/pipeline.h"
#include "session/stages.h"

namespace fw {

// Of every region what crosses its border and its groups, of a library's call what it does behind
// its own computation. Above them how many there are of each owner, and the bytes that pass
// between.
Result<snapshot::StagesDocument> partitionText(Pipeline& pipeline, const Context& context);

// The graph of stage "fused" with regions in place of groups, and of each region what the text
// says, and who else could compute it.
Result<snapshot::GraphDocument> partitionGraph(Pipeline& pipeline, const Context& context);

} // namespace fw
