// Outputs against what was expected, and the two rules by which a data set passes.
//
// Elements: every element lies inside the bound. Norm: of floating-point outputs, for networks
// only: where many sums follow one another, elements near zero carry the rounding of large ones,
// and two right programs differ there by more than any bound of single elements allows.
#pragma once

#include "ir/graph.h"
#include "snapshot/report_records.h"

#include <string>

namespace fw {

struct Tolerance {
    double relative = 1e-3;
    double absolute = 1e-5;
};

// What the norm rule allows an output: this relative L2 error, this share of elements outside the
// bound, and these by no more than this fraction of the output's root mean square.
struct NormTolerance {
    double relativeL2 = 1e-4;
    double outside = 0.01;
    double excess = 1e-4;
};

struct Comparison {
    bool pass = true; // by the element rule
    bool norm = true; // by the norm rule
    double maxAbs = 0;
    double maxRel = 0;
    double maxUlp = 0;
    std::string worst; // "y[0, 3]: 1.5 instead of 1.25", empty if all are equal
    snapshot::OutputDifference difference;
};

// An element passes if |got - want| <= absolute + relative * |want|; NaN equals NaN, infinities
// must agree. Another dtype or shape fails at once, by both rules.
Comparison compareTensors(const std::string& name, const TensorData& got, const TensorData& want,
                          Tolerance tolerance, NormTolerance norm = {});

// A network, as the norm rule means it: at least this many operators that sum (contractions,
// reductions, windows, normalisations) follow one another. A case of one operator never has as
// many.
constexpr int networkDepth = 8;
bool isNetwork(const Graph& imported);

// Which rule may pass a data set.
enum class PassBy : std::uint8_t { Elements, ElementsOrNorm };

// The comparison of outputs with these names for a data set. By norm only if every output passes by
// one of the rules.
snapshot::ComparisonRecord compareOutputs(const std::string& name,
                                          const std::vector<std::string>& outputs,
                                          const std::vector<TensorData>& got,
                                          const std::vector<TensorData>& want, Tolerance tolerance,
                                          PassBy by);

std::string place(const std::vector<std::int64_t>& extents, std::size_t index); // "0, 3"

} // namespace fw
