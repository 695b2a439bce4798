// A graph as text whose inputs are constants.
#pragma once

#include "ir/graph.h"

#include <string>
#include <vector>

namespace fw {

std::string withValues(const Graph& graph, const std::vector<TensorData>& inputs);

} // namespace fw
