// What is said of the ends of a graph, where nothing is planned: its inputs and its constants.
#pragma once

#include "fusion/plan.h"
#include "snapshot/records.h"

#include <optional>

namespace fw {

// None: all of them are operators, or one is not known. Nodes as for explain().
std::optional<snapshot::ExplainDocument> explainEnds(const Graph& graph, const FusionPlan& plan,
                                                     const std::vector<std::string>& nodes);

} // namespace fw
