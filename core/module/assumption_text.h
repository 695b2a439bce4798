// What a module says of an assumption that does not hold.
#pragma once

#include "ir/graph.h"

namespace fw {

// "add: rows of a equal rows of b; a is 'x', b is 'y'".
std::string assumptionText(const Graph& graph, const Assumption& assumption);

} // namespace fw
