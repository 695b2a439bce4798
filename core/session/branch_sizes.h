// Which sizes of a run reach which of the implementations of a group.
#pragma once

#include "fusion/plan.h"

namespace fw {

// Of each part of a GroupKind::Choice, for people: "N = 1..16, 33 and more", "no size". Empty where
// several free dimensions take part. What the graph assumes of the dimension bounds it.
std::vector<std::string> branchSizes(const Graph& graph, const Group& choice);

} // namespace fw
