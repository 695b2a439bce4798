#include "onnx/forms/resize_places.h"

#include "expr/simplify.h"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>

namespace fw {

namespace {

constexpr std::string_view names[] = {"half_pixel",         "asymmetric",    "tf_half_pixel_for_nn",
                                      "pytorch_half_pixel", "align_corners", "half_pixel_symmetric",
                                      "tf_crop_and_resize"};

// In lowest terms, where all three are whole numbers that a double holds.
AxisPlaces reduced(AxisPlaces places) {
    constexpr double most = 9007199254740992; // 2^53
    std::int64_t common = 0;
    for (const double part : {places.step, places.start, places.under}) {
        if (part != std::floor(part) || std::abs(part) > most)
            return places;
        common = std::gcd(common, static_cast<std::int64_t>(part));
    }
    if (common > 1) {
        const auto by = static_cast<double>(common);
        places = {places.step / by, places.start / by, places.under / by};
    }
    return places;
}

AxisPlaces exactly(Coordinates mode, const ResizedAxis& axis) {
    const auto [p, q] = axis.scale;
    const double from = axis.from, to = axis.to;
    switch (mode) {
    case Coordinates::HalfPixel:
        break;
    case Coordinates::Asymmetric:
        return {q, 0, p};
    case Coordinates::TfHalfPixelForNn:
        return {2 * q, q, 2 * p};
    case Coordinates::PytorchHalfPixel:
        if (to <= 1)
            return {0, 0, 1};
        break;
    case Coordinates::AlignCorners: // the last of the result on the last of the operand
        return to <= 1 ? AxisPlaces{0, 0, 1} : AxisPlaces{(from - 1) * q, 0, from * p - q};
    case Coordinates::HalfPixelSymmetric: // from / 2 * (1 - to / (from * scale)) farther on
        return {2 * q, q - to * q + (from - 1) * p, 2 * p};
    case Coordinates::TfCropAndResize: {
        const double first = axis.first.over * axis.last.under,
                     last = axis.last.over * axis.first.under,
                     under = axis.first.under * axis.last.under;
        if (to <= 1)
            return {0, (first + last) * (from - 1), 2 * under};
        return {(last - first) * (from - 1), first * (from - 1) * (to - 1), under * (to - 1)};
    }
    }
    return {2 * q, q - p, 2 * p};
}

} // namespace

Fraction fractionOf(float number) {
    for (double under = 1; under <= 4096; ++under)
        if (const double over = std::nearbyint(static_cast<double>(number) * under);
            static_cast<float>(over / under) == number)
            return {over, under};
    return {static_cast<double>(number), 1};
}

double scaledLength(std::int64_t extent, float scale) {
    return std::floor(static_cast<float>(extent) * scale);
}

std::optional<Dim> scaledDim(const Dim& extent, float scale) {
    const Fraction exact = fractionOf(scale);
    if (exact.under > 64 || exact.over >= 1e6 || exact.over != std::floor(exact.over))
        return std::nullopt;
    const auto over = static_cast<std::int64_t>(exact.over),
               under = static_cast<std::int64_t>(exact.under);
    for (std::int64_t of = 0; of <= 4096; ++of)
        if (scaledLength(of, scale) != static_cast<double>(of * over / under))
            return std::nullopt;
    return simplify(floorDivExpr(extent * Expr(over), Expr(under)));
}

std::optional<Coordinates> coordinatesOf(std::string_view name) {
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (names[i] == name)
            return static_cast<Coordinates>(i);
    return std::nullopt;
}

std::string_view nameOf(Coordinates mode) {
    return names[static_cast<std::size_t>(mode)];
}

bool needsExtents(Coordinates mode) {
    return mode > Coordinates::TfHalfPixelForNn;
}

AxisPlaces placesOf(Coordinates mode, const ResizedAxis& axis) {
    return reduced(exactly(mode, axis));
}

} // namespace fw
