// Which nodes of the graph that was rewritten a node stands for.
//
// While rewriting goes on a node that a rule adds names its application alone, so that an
// application costs what it changes and not all that led to it. What was matched, and what that
// came from, is found from the records in the end.
#pragma once

#include "rewrite/application.h"

#include <span>

namespace fw {

// The origin of the nodes added from this id on, until giveOrigins(); that of no node.
inline NodeId originOfAdded(NodeId first) {
    return -1 - first;
}

// Of every node in the editor. `body`: as in the applications.
void giveOrigins(GraphEditor& editor, std::span<const Application> applications,
                 const GraphPtr& body = {});

} // namespace fw
