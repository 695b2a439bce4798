// The advance tables behind text.h. Numbers instead of a font library: the layout must give the
// same picture on every machine, with and without a display.
#pragma once

#include <array>
#include <cstdint>

namespace fw::picture {

inline constexpr std::uint32_t unitsPerEm = 2048;

using AdvanceTable = std::array<std::uint16_t, 95 + 96>;
using SymbolCodes = std::array<std::uint16_t, 25>; // ascending
using SymbolAdvances = std::array<std::uint16_t, 25>;

extern const AdvanceTable g_regularAdvances;
extern const AdvanceTable g_boldAdvances;
extern const SymbolCodes g_symbolCodes;
extern const SymbolAdvances g_regularSymbols;
extern const SymbolAdvances g_boldSymbols;

} // namespace fw::picture
