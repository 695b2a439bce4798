// What one application of a rule or of a built-in rewrite did. From the applications of a rewriting
// come its trace, its documents, and the graph behind every one of them (history.h).
#pragma once

#include "ir/graph.h"

#include <string>
#include <utility>
#include <vector>

namespace fw {

struct Application {
    std::size_t entry = 0; // of RewriteTrace::applied: rule, book, line
    // The graph inside a node in which it happened, as it was before all applications; empty: the
    // graph that is rewritten.
    GraphPtr body;
    std::vector<NodePtr> matched;                       // operators, in the order found
    std::vector<std::pair<ValueRef, ValueRef>> results; // that took the place of which
    // What the names of the match stood for; several values of a name under repetition.
    std::vector<std::pair<std::string, std::vector<ValueRef>>> names;
    NodeId firstAdded = -1; // the id from which on nodes were added
    GraphStep step;         // nodes created, erased, and those that read others
};

} // namespace fw
