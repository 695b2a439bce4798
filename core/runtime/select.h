// Selecting by value: what is kept, what differs, which boxes stay. Everything lies in row-major
// order; results have room for all that may be selected, and are 0 behind what is.
#pragma once

#include "runtime/data_type.h"

#include <cstdint>

namespace fw::runtime {

void compact(const std::uint8_t* keep, std::int64_t elements, std::int64_t* places,
             std::int64_t* count);

struct Rows {
    const void* data = nullptr;
    DataType type = DataType::F32;
    std::int64_t rows = 0, columns = 0;
};
struct DistinctRows { // room for one per row, but `count`
    std::int64_t *first, *inverse, *times, *count;
};
// Ascending, or by first places. NaN equals NaN and is the largest.
void uniqueRows(const Rows& x, bool ascending, const DistinctRows& out);

struct ScoredBoxes {
    const float* boxes = nullptr;  // images * boxes * 4
    const float* scores = nullptr; // images * classes * boxes
    std::int64_t images = 0, count = 0, classes = 0;
    bool centered = false; // (x, y, width, height) instead of two corners (y, x)
};
struct SuppressionLimits {
    std::int64_t most = 0; // per image and class
    float overlap = 0;     // intersection over union, from which on a box is covered
    float least = 0;       // scores have to be above
};
struct SelectedBoxes {
    std::int64_t* rows; // image, class, box
    std::int64_t room;  // rows
    std::int64_t* count;
};
void suppress(const ScoredBoxes& boxes, const SuppressionLimits& limits, const SelectedBoxes& out);

} // namespace fw::runtime
