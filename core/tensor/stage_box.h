// The loops of a stage for those who run it point by point.
#pragma once

#include "tensor/values.h"

namespace fw {

// Variables and extents of its axes, those of the space first.
struct StageBox {
    std::vector<Symbol> variables;
    std::vector<std::int64_t> extents;
    std::size_t space = 0; // how many are of the space

    std::vector<std::int64_t> spaceExtents() const;
    std::vector<std::int64_t> reduceExtents() const;
};
// DimUnbound where a free dimension has no value among `dims`.
Result<StageBox> boxOf(const Stage& stage, const Bindings& dims);

} // namespace fw
