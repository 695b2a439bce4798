#include "onnx/forms/resize_modes.h"

#include <algorithm>
#include <cmath>

namespace fw {

AxisPlaces placesOf(const Node& node) {
    return {node.attrs.real("step", 1), node.attrs.real("start", 0), node.attrs.real("under", 1)};
}

namespace {

double nearestOf(const Node& node, double place) {
    switch (node.attrs.integer("rounding", 0)) {
    case 0:
        return std::ceil(place - 0.5);
    case 1:
        return std::floor(place + 0.5);
    case 2:
        return std::floor(place);
    case 4:
        return placesOf(node).step > placesOf(node).under ? std::ceil(place) : std::floor(place);
    default:
        return std::ceil(place);
    }
}

// Whether places that were rounded on the way into the file lead to the same elements, and to the
// same side of the ends.
bool sameElements(const Node& node, std::int64_t extent, std::int64_t size,
                  const AxisPlaces& others) {
    const auto last = static_cast<double>(extent - 1);
    const bool crop = node.attrs.integer("crop", 0) != 0, nearest = node.op == "resize_nearest";
    const AxisPlaces own = placesOf(node);
    const auto isInside = [&](double place) { return 0 <= place && place <= last; };
    const auto element = [&](double place) {
        return std::clamp(nearestOf(node, place), 0.0, last);
    };
    for (std::int64_t o = 0; o < size; ++o) {
        const double meant = own.at(static_cast<double>(o)),
                     read = others.at(static_cast<double>(o));
        if (!(std::abs(read - meant) <= 1e-5 * std::max(1.0, std::abs(meant))) ||
            (crop && isInside(read) != isInside(meant)) ||
            (nearest && element(read) != element(meant)))
            return false;
    }
    return true;
}

bool areSame(const AxisPlaces& a, const AxisPlaces& b) {
    return a.step * b.under == b.step * a.under && a.start * b.under == b.start * a.under;
}

// Whether a reader makes that extent of a scale.
bool isScaled(const Dim& extent, float scale, const Dim& to) {
    if (const auto known = extent.asInt())
        return to == intExpr(static_cast<std::int64_t>(scaledLength(*known, scale)));
    const auto scaled = scaledDim(extent, scale);
    return scaled && *scaled == to;
}

} // namespace

std::optional<Mapping> mappingOf(const Node& node, const Dim& from, const Dim& to) {
    const AxisPlaces own = placesOf(node);
    const auto known = from.asInt(), wanted = to.asInt();
    const bool fixed = known && wanted && *known > 0 && *wanted > 0;
    ResizedAxis axis;
    if (fixed) {
        axis.from = static_cast<double>(*known);
        axis.to = static_cast<double>(*wanted);
        axis.scale = {axis.to, axis.from};
        for (const Coordinates mode :
             {Coordinates::HalfPixel, Coordinates::Asymmetric, Coordinates::TfHalfPixelForNn,
              Coordinates::AlignCorners, Coordinates::PytorchHalfPixel})
            if (areSame(own, placesOf(mode, axis)))
                return Mapping{mode, true, 1};
    }
    const auto scale = static_cast<float>(own.under / own.step);
    if (!(scale > 0) || !(scale < 1e6F) || !isScaled(from, scale, to))
        return std::nullopt;
    axis.scale = fractionOf(scale);
    for (const Coordinates mode : {Coordinates::HalfPixel, Coordinates::Asymmetric,
                                   Coordinates::TfHalfPixelForNn, Coordinates::HalfPixelSymmetric})
        if (const AxisPlaces read = placesOf(mode, axis);
            (fixed || !needsExtents(mode)) &&
            (areSame(own, read) || (fixed && sameElements(node, *known, *wanted, read))))
            return Mapping{mode, false, scale};
    if (!fixed)
        return std::nullopt;
    // The length that corners are counted by may be none of whole elements.
    const auto length =
        static_cast<float>(((axis.from - 1) * own.under / own.step + 1) / axis.from);
    if (own.start == 0 && length > 0 && length < 1e6F && isScaled(from, length, to)) {
        axis.scale = fractionOf(length);
        if (sameElements(node, *known, *wanted, placesOf(Coordinates::AlignCorners, axis)))
            return Mapping{Coordinates::AlignCorners, false, length};
    }
    return std::nullopt;
}

std::optional<std::pair<double, double>> regionOf(const Node& node, const Dim& from,
                                                  const Dim& to) {
    const auto known = from.asInt(), wanted = to.asInt();
    if (!known || !wanted || *known < 1 || *wanted < 1)
        return std::nullopt;
    const auto width = static_cast<double>(*known - 1);
    const AxisPlaces own = placesOf(node);
    double start = 0, end = 1; // of one element: any region
    if (width > 0) {
        start = own.at(0) / width;
        end = own.at(static_cast<double>(*wanted - 1)) / width;
    }
    if (node.attrs.integer("crop", 0) == 0 &&
        (std::min(start, end) < 0 || std::max(start, end) > 1))
        return std::nullopt;
    ResizedAxis axis;
    axis.from = static_cast<double>(*known);
    axis.to = static_cast<double>(*wanted);
    axis.first = fractionOf(static_cast<float>(start));
    axis.last = fractionOf(static_cast<float>(end));
    if (!sameElements(node, *known, *wanted, placesOf(Coordinates::TfCropAndResize, axis)))
        return std::nullopt;
    return std::pair(start, end);
}

Status filterFits(const Node& node, const Dim& from, const Dim& to, const Mapping& mapping) {
    const auto known = from.asInt(), wanted = to.asInt();
    double scale = fractionOf(mapping.scale).over / fractionOf(mapping.scale).under;
    if (mapping.bySizes)
        scale = known && wanted && *known > 0
                    ? static_cast<double>(*wanted) / static_cast<double>(*known)
                    : 0;
    const double meant = node.attrs.real("scale", 1);
    const double reach = node.attrs.integer("cubic", 0) != 0 ? 2 : 1;
    if (!(scale < 1) || std::abs(scale - meant) > 1e-6 * meant ||
        static_cast<double>(node.attrs.integer("taps", 1)) != std::ceil(reach / scale))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "Resize with antialias has no filter of this width");
    return {};
}

bool isOfItsAxis(const Node& node, const Shape& shape, std::size_t axis, Coordinates mode,
                 std::int64_t rounding) {
    constexpr std::int64_t preferFloor = 0, floor = 2;
    if (mode != Coordinates::TfHalfPixelForNn ||
        (node.op == "resize_nearest" && (rounding == preferFloor || rounding == floor)))
        return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (i != axis && shape[i].asInt() != 1) // one element stays where it is
            return true;
    return false;
}

std::optional<std::int64_t> roundingOf(const Node& node, const Dim& from, const Dim& to) {
    const std::int64_t rounding = node.attrs.integer("rounding", 0);
    if (rounding != 4)
        return rounding;
    const auto known = from.asInt(), wanted = to.asInt();
    if (!known || !wanted)
        return std::nullopt;
    return *wanted < *known ? 3 : 2;
}

} // namespace fw
