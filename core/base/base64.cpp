#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fw {

namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t none = 0xff;

constexpr std::array<std::uint8_t, 256> values = [] {
    std::array<std::uint8_t, 256> out{};
    out.fill(none);
    for (std::size_t i = 0; i < digits.size(); ++i)
        out[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
    return out;
}();

} // namespace

std::string base64Of(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < 3; ++i)
            word = word << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i)
            out += i <= count ? digits[word >> (18 - 6 * i) & 63] : '=';
    }
    return out;
}

std::optional<std::string> fromBase64(std::string_view text) {
    if (text.size() % 4 != 0)
        return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::string out;
    out.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t word = 0;
    int bits = 0;
    for (const char c : text) {
        const std::uint8_t value = values[static_cast<unsigned char>(c)];
        if (value == none)
            return std::nullopt;
        word = word << 6 | value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out += static_cast<char>(word >> bits & 0xff);
        }
    }
    if ((word & ((1u << bits) - 1)) != 0) // two texts would be one
        return std::nullopt;
    return out;
}

} // namespace fw
