// Outputs against what was expected.
#pragma once

#include "ir/tensor_data.h"

#include <string>

namespace fw {

struct Tolerance {
    double relative = 1e-3;
    double absolute = 1e-5;
};

struct Comparison {
    bool pass = true;
    double maxAbs = 0;
    double maxRel = 0;
    double maxUlp = 0;
    std::string worst; // "y[0, 3]: 1.5 instead of 1.25", empty if all are equal
};

// An element passes if |got - want| <= absolute + relative * |want|; NaN equals NaN, infinities
// must agree. Another dtype or shape fails at once.
Comparison compareTensors(const std::string& name, const TensorData& got, const TensorData& want,
                          Tolerance tolerance);
void mergeInto(Comparison& total, const Comparison& part);

} // namespace fw
