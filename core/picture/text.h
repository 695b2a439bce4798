// Measuring and shortening text without a font library: widths come from an embedded table of
// DejaVu Sans, the font that the canvas paints with. Lengths are pixels at scale 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fw::picture {

enum class Weight : std::uint8_t { Regular, Bold };
enum class Elide : std::uint8_t { Right, Middle }; // where the "…" goes

double textWidth(std::string_view text, double size, Weight weight);

// One printable line: control characters and line ends become spaces, invalid UTF-8 and characters
// that change the direction of the text become U+FFFD. `maxLength` is in characters.
std::string printable(std::string_view text, std::size_t maxLength = 2000);

// `text` made printable and no wider than `width`.
std::string elide(std::string_view text, double width, double size, Weight weight, Elide mode);

} // namespace fw::picture
