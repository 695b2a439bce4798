// Checked integer arithmetic and locale-free number text. QApplication changes LC_NUMERIC, so
// nothing in core may use printf or streams for numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fw {

inline std::optional<std::int64_t> checkedMul(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    if (__builtin_mul_overflow(a, b, &out))
        return std::nullopt;
    return out;
}

inline std::optional<std::int64_t> checkedAdd(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    if (__builtin_add_overflow(a, b, &out))
        return std::nullopt;
    return out;
}

// Rounding toward minus infinity; the divisor must not be 0.
constexpr std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

constexpr std::int64_t floorMod(std::int64_t a, std::int64_t b) {
    const std::int64_t rest = a % b;
    return rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest;
}

// Shortest text that reads back as the same double: "0.5", "1e-05", "inf", "-inf", "nan".
std::string numberText(double value);
std::optional<double> parseNumber(std::string_view text);
std::optional<std::int64_t> parseInteger(std::string_view text);

} // namespace fw
