// The order of nodes: producers before their readers, and before what has free dimensions those
// that bind them.
#pragma once

#include "ir/graph.h"

#include <map>
#include <vector>

namespace fw {

using Binders = std::map<Symbol, NodeId>;
Binders bindersAmong(const std::vector<NodePtr>& nodes, const OperatorSet& operators);
// Appends the nodes that bind free dimensions of this one.
void addBindersOf(const Node& node, const Binders& binders, std::vector<NodeId>& out);

// Of the nodes that `wish` names, each as early there as what it reads allows. `nodes`: by id.
// Refused: an operand that is not there, a cycle.
Result<std::vector<NodeId>> inOrder(const std::vector<NodePtr>& nodes,
                                    const std::vector<NodeId>& wish, const OperatorSet& operators);

} // namespace fw
