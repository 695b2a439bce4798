// What two graphs do last in the same way: where it keeps different values apart, as a sum with the
// same operand does, they differ if what they do it to differs. In the result itself rounding hides
// that.
#pragma once

#include "ir/graph.h"

namespace fw {

struct CommonEnd {
    std::size_t result = 0;
    ValueRef before, after; // of the shape of the result
};

// Of each result that has such an end the values in front of all of it. Inputs of the graphs are
// the same in their order.
std::vector<CommonEnd> commonEnds(const Graph& before, const Graph& after);

} // namespace fw
