#include "picture/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fw::picture {
namespace {

struct Entry {
    std::string_view name;
    std::uint32_t light, dark;
};

constexpr std::array g_entries = {
#define FW_X(name, light, dark) Entry{#name, light, dark},
    FW_COLOURS(FW_X)
#undef FW_X
#define FW_LIBRARY(id, number, name, title, chip, other, calls, light, dark, lightFill, darkFill)  \
    Entry{#id, light, dark}, Entry{#id "Fill", lightFill, darkFill},
#include "libraries/rows.def"
};

const Entry& entry(Colour colour) {
    return g_entries[static_cast<std::size_t>(colour)];
}

Rgb split(std::uint32_t value) {
    return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
            static_cast<std::uint8_t>(value)};
}

double luminance(Rgb colour) {
    const auto linear = [](std::uint8_t channel) {
        const double v = channel / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) +
           0.0722 * linear(colour.blue);
}

// Of a scale from 0 to 1.
Rgb onScale(const std::array<std::uint32_t, 9>& points, double value) {
    const double scaled = std::clamp(value, 0.0, 1.0) * static_cast<double>(points.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(scaled), points.size() - 2);
    const double t = scaled - static_cast<double>(low);
    const Rgb a = split(points[low]), b = split(points[low + 1]);
    const auto mix = [t](std::uint8_t x, std::uint8_t y) {
        return static_cast<std::uint8_t>(std::lround(x + (y - x) * t));
    };
    return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

} // namespace

Rgb rgb(Colour colour, ThemeKind theme) {
    return split(theme == ThemeKind::Light ? entry(colour).light : entry(colour).dark);
}

std::string hexText(Rgb colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

std::string_view colourText(Colour colour) {
    return entry(colour).name;
}

double contrast(Rgb a, Rgb b) {
    const double first = luminance(a) + 0.05, second = luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

Rgb heat(double value, ThemeKind theme) {
    // From cold to hot: cream, orange, brown; dark: support points of cividis.
    constexpr std::array<std::uint32_t, 9> onLight = {
        0xFFF8E1, 0xFFEBB8, 0xFFD98A, 0xFBBF5A, 0xEE9C36, 0xD6751F, 0xB05015, 0x833410, 0x551C0A};
    constexpr std::array<std::uint32_t, 9> onDark = {
        0x00224E, 0x123570, 0x3B496C, 0x575D6D, 0x707173, 0x8A8678, 0xA59C74, 0xC3B369, 0xFEE838};
    return onScale(theme == ThemeKind::Light ? onLight : onDark, std::isnan(value) ? 0 : value);
}

Rgb difference(double value, ThemeKind theme) {
    // Both ends of the blue and orange that any colour vision tells apart; the middle is quiet.
    constexpr std::array<std::uint32_t, 9> onLight = {
        0x0B4F8A, 0x2F78B7, 0x6FA8D6, 0xB4D2EA, 0xF4F4F2, 0xF9D3A8, 0xEEA355, 0xCC7019, 0x8C4708};
    constexpr std::array<std::uint32_t, 9> onDark = {
        0x9CD0FF, 0x5FA3DE, 0x3A77AE, 0x2B506F, 0x33363B, 0x66492A, 0xA06A2B, 0xD9963F, 0xFFC978};
    return onScale(theme == ThemeKind::Light ? onLight : onDark,
                   std::isnan(value) ? 0.5 : (value + 1) / 2);
}

Rgb textOn(Rgb fill) {
    const Rgb black{0, 0, 0}, white{255, 255, 255};
    return contrast(fill, white) > contrast(fill, black) ? white : black;
}

} // namespace fw::picture
