// A graph as `.fw` text.
//
//     graph lenet(x: f32[1, 1, 28, 28]) -> y {
//       w = const @"fc.weight" : f32[10, 84]         # large constants by name and content
//       k = const [1, 2, 3] : i64[3]                 # small ones inline
//       h = relu("Conv_0.y") @node("Relu_1") @from(4, 5)
//     }
#pragma once

#include "ir/graph.h"

namespace fw {

std::string printGraph(const Graph& graph);

} // namespace fw
