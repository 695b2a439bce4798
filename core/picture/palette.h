// The colours of Fusewright by what they mean, for both themes. The SVG writer and the window read
// the same table, so a drawing looks the same everywhere. Text and lines keep 4.5:1 against the
// canvas.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fw::picture {

enum class ThemeKind : std::uint8_t { Light, Dark };

// clang-format off
// X(meaning, light 0xRRGGBB, dark)
#define FW_COLOURS(X) \
    X(Canvas,         0xFAFAFA, 0x1E1F22) \
    X(Pane,           0xFFFFFF, 0x222327) \
    X(PaneAlternate,  0xF7F8FA, 0x26272B) \
    X(PaneHighlight,  0xEEF2F8, 0x2A2D35) \
    X(Chrome,         0xF3F4F6, 0x17181A) \
    X(Line,           0xD0D3D8, 0x3A3C41) \
    X(Text,           0x202124, 0xE8EAED) \
    X(Muted,          0x5F6368, 0xA4A8AE) \
    X(Accent,         0x0B57D0, 0x8AB4F8) \
    X(OnAccent,       0xFFFFFF, 0x17181A) \
    X(Hover,          0x5C93E6, 0x5F7FB5) \
    X(Match,          0x00695C, 0x4DD0B5) \
    X(NearMiss,       0x8A5000, 0xFFB74D) \
    X(Failing,        0xB3261E, 0xFF8A80) \
    X(Created,        0x1B6E33, 0x81C995) \
    X(Changed,        0x5E35B1, 0xC5A8FF) \
    X(Generated,      0x3B5BA5, 0x9DB4F0) \
    X(UserLibrary,    0x8A4B08, 0xF0B27A) \
    X(Reference,      0x5F6368, 0xBDC1C6) \
    X(GeneratedFill,  0xE9EEF9, 0x272B3A) \
    X(UserLibraryFill, 0xFBF0E3, 0x352A1F) \
    X(ReferenceFill,  0xEFF0F2, 0x2B2C30) \
    X(FailingFill,    0xFCEEED, 0x3A2524) \
    X(Edge,           0x6B6F76, 0x8E939B) \
    X(EdgeLabel,      0x5F6368, 0xA4A8AE) \
    X(Residual,       0x9A2F86, 0xE59AD8) \
    X(BoxFill,        0xFFFFFF, 0x222327) \
    X(BoxLine,        0x7B7F86, 0x82868D) \
    X(ConstantFill,   0xF1F3F4, 0x2A2B2F) \
    X(Bar,            0x8FB1EA, 0x4A6FAE)
// clang-format on

enum class Colour : std::uint8_t {
#define FW_X(name, light, dark) name,
    FW_COLOURS(FW_X)
#undef FW_X
#define FW_LIBRARY(id, ...) id, id##Fill, // of a library that is built in
#include "libraries/rows.def"
};

struct Rgb {
    std::uint8_t red = 0, green = 0, blue = 0;
    bool operator==(const Rgb&) const = default;
};

Rgb rgb(Colour colour, ThemeKind theme);
std::string hexText(Rgb colour);            // "#0b57d0"
std::string_view colourText(Colour colour); // "Accent"
double contrast(Rgb a, Rgb b);              // WCAG 2.1 ratio, 1 to 21

// 0..1, clamped: what is hot stands out from the canvas, dark on a light one and bright on a dark
// one. The lightness alone says as much as the colour, so any colour vision reads it.
Rgb heat(double value, ThemeKind theme);
// -1..1, clamped: less is blue, more is orange, and what does not differ is the colour of a box.
Rgb difference(double value, ThemeKind theme);
Rgb textOn(Rgb fill); // black or white: at least 4.5:1

} // namespace fw::picture
