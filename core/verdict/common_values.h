// What two graphs over the same inputs compute alike on their way. It is as an operand of what they
// do otherwise: where it is no finite number, a difference says nothing of finite ones.
#pragma once

#include "ir/graph.h"

#include <vector>

namespace fw {

struct CommonValue {
    ValueRef before, after; // of operators
};
std::vector<CommonValue> commonValues(const Graph& before, const Graph& after);

// A graph with inputs behind its own in place of these values of it.
Result<GraphPtr> withInputsFor(const Graph& graph, const std::vector<ValueRef>& values);

} // namespace fw
