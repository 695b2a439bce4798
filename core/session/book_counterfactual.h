// What would be decided if a shipped book that is switched off were read.
#pragma once

#include "session/pipeline_store.h"
#include "snapshot/records.h"

namespace fw {

// One record for each such book. The operators of `graph`, one or two, are found again by what they
// stand for in the imported graph; the verdict is that of libraryCounterfactuals().
Result<std::vector<snapshot::CounterfactualRecord>>
bookCounterfactuals(PipelineStore& store, const snapshot::Arguments& arguments,
                    const Context& context, const Graph& graph, const FusionPlan& plan,
                    const std::vector<NodeId>& nodes);

} // namespace fw
