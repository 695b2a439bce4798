// Where the places of a resized axis lie in the operand, without rounding: for a known node as
// numbers, for one that is computed as the operator resize_places (resources/library/sizes.fw),
// which says the same.
#pragma once

#include "ir/tensor_type.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace fw {

// over / under, two whole numbers where there are small ones.
struct Fraction {
    double over = 1, under = 1;
};

// A scale or an end of a region stands for the fraction of the least denominator, up to 4096, that
// rounds to it in single precision: 0.6F for 3 / 5. Where there is none it is number / 1.
Fraction fractionOf(float number);

// The size of a result by a scale, floor(extent * scale): in single precision, as the standard
// infers it.
double scaledLength(std::int64_t extent, float scale);
// The same of a free dimension, where the scale is a fraction of small numbers and single precision
// makes no other size of it; else nullopt.
std::optional<Dim> scaledDim(const Dim& extent, float scale);

// The coordinate modes, as the attribute `mode` of resize_places counts them.
enum class Coordinates {
    HalfPixel,
    Asymmetric,
    TfHalfPixelForNn,
    PytorchHalfPixel,
    AlignCorners,
    HalfPixelSymmetric,
    TfCropAndResize
};
// As the standard writes them; nullopt if there is none of that name.
std::optional<Coordinates> coordinatesOf(std::string_view name);
std::string_view nameOf(Coordinates mode);
// Whether the places depend on the extents, and not on the scale alone.
bool needsExtents(Coordinates mode);

// Place o of the result lies at (o * step + start) / under of the operand, as the operators
// resize_* have it.
struct AxisPlaces {
    double step = 1, start = 0, under = 1;
    double at(double o) const { return (o * step + start) / under; }
    bool areAllThose() const { return step == under && start == 0; } // o lies at o
};

struct ResizedAxis {
    Fraction scale;             // of the result to the operand
    double from = 0, to = 0;    // extents; of no matter unless needsExtents()
    Fraction first{0, 1}, last; // the region, as parts of from - 1
};

// ONNX, Resize, "coordinate_transformation_mode". The length that align_corners and
// half_pixel_symmetric compare with is from * scale, which need not be a whole number.
AxisPlaces placesOf(Coordinates mode, const ResizedAxis& axis);

} // namespace fw
