// The coordinate modes of Resize that say where the operators that resample find their elements.
#pragma once

#include "ir/graph.h"
#include "onnx/forms/resize_places.h"

#include <optional>
#include <utility>

namespace fw {

// The coordinate mode that leads to the places of a node.
struct Mapping {
    Coordinates mode = Coordinates::HalfPixel;
    bool bySizes = false; // else by scales
    float scale = 1;
};

AxisPlaces placesOf(const Node& node);

// Sizes that are known come first: their ratio is exact.
std::optional<Mapping> mappingOf(const Node& node, const Dim& from, const Dim& to);
// From a part of the axis: roi * (extent - 1) is where it begins. Beyond the ends lies a number.
std::optional<std::pair<double, double>> regionOf(const Node& node, const Dim& from, const Dim& to);
// A reader makes the filter as wide as the scale says, which it has from the sizes or by name.
Status filterFits(const Node& node, const Dim& from, const Dim& to, const Mapping& mapping);
// Whether an axis that keeps its extent would be resampled, too: in this mode its element o lies at
// o + 1/2. The node then names its axis, which opset 18 and later can.
bool isOfItsAxis(const Node& node, const Shape& shape, std::size_t axis, Coordinates mode,
                 std::int64_t rounding);
// Rounding 4 is that of opsets before 11, which has no name in newer ones.
std::optional<std::int64_t> roundingOf(const Node& node, const Dim& from, const Dim& to);

} // namespace fw
