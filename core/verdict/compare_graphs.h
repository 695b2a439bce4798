// Whether two graphs over the same inputs compute the same, on drawn values: ordinary ones, those
// at which types end, NaN and infinities. What differs by more than rounding may do is told apart
// by what it takes to differ.
#pragma once

#include "tensor/disagreement.h"
#include "tensor/draw_values.h"
#include "verdict/but_for.h"

#include <map>
#include <set>

namespace fw {

struct GraphDifference {
    std::vector<TensorData> inputs;
    std::string text; // "y[0, 2] is 3 instead of 5"
};

struct GraphComparison {
    bool computed = false;                   // nothing ordinary differs
    bool rounds = false;                     // a bound was not 0, or the results that
                                             // are rounded were not the same
    std::optional<GraphDifference> ordinary; // a finite value of its type, or an operand that is
                                             // read no more and is no number
    std::map<ButFor, GraphDifference> butFor;
};

// Small whole numbers tell wrong places and sizes, at a part of the cost.
enum class ComparedValues : std::uint8_t { All, Whole };

// `enough`: what need not be looked for any more; the values that are drawn do not depend on it.
// Neither graph has free dimensions.
GraphComparison compareGraphs(const Graph& before, const Graph& after, const Literals& literals,
                              const std::set<ButFor>& enough, std::uint64_t seed,
                              ComparedValues values = ComparedValues::All);

// Of graphs whose constants hold NaN or infinities: a difference at ordinary operands, if there is
// one.
std::optional<GraphDifference> compareAtNoNumbers(const Graph& before, const Graph& after,
                                                  const Literals& literals, std::uint64_t seed);

} // namespace fw
