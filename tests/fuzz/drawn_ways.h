// What an oracle draws beside a graph: what a user ties, cuts or fuses in it, and files of its
// operands.
#pragma once

#include "base/random.h"
#include "fuzz/case.h"

#include <optional>

namespace fw::fuzz {

// An operator and one that reads it.
struct Edge {
    const Node *from = nullptr, *to = nullptr;
    std::size_t operand = 0;
};

std::vector<Edge> someEdges(const Graph& graph, Random& random, std::size_t most);
std::string patternOf(const Edge& edge); // "add(a0, conv2d(...))"

// Whether a constant counts an axis that has no such element. An importer refuses it; what runs
// takes the nearest one.
bool hasConstantIndexOutside(const Case& with);

// An .npy file in Fortran order; nullopt: NumPy has no such type.
std::optional<std::string> npyOfColumns(const TensorData& data);

} // namespace fw::fuzz
