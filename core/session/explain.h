// Why operators are where they are in a plan.
#pragma once

#include "fusion/plan.h"
#include "snapshot/records.h"

#include <string>
#include <vector>

namespace fw {

// By name, value name or "#id"; null: there is none.
const Node* nodeNamed(const Graph& graph, const std::string& name);
// Why one node is where it is, or why two are (not) in one group. Nodes as for nodeNamed().
Result<snapshot::ExplainDocument> explain(const Graph& graph, const FusionPlan& plan,
                                          const std::vector<std::string>& nodes);
// The node in whose graph an operator stands that is named by a path as `fw info` writes it,
// "Loop_1/body/Relu_3"; null: there is none.
const Node* holderAt(const Graph& graph, std::string_view path);
Result<const Node*> findNode(const Graph& graph, const std::string& name); // an operator

} // namespace fw
