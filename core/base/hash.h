// Content hashes (xxh3, 128 bit) for memo keys, kernel names and deduplication. Not cryptographic.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fw {

struct Hash {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    auto operator<=>(const Hash&) const = default;
    std::string hex() const; // 32 lower-case digits
};

Hash hashOf(std::span<const std::byte> bytes);
Hash hashOf(std::string_view text);
inline std::uint64_t mixHash(std::uint64_t a, std::uint64_t b) {
    a ^= b + 0x9e3779b97f4a7c15ULL + (a << 12) + (a >> 4);
    a *= 0xff51afd7ed558ccdULL;
    return a ^ (a >> 33);
}

} // namespace fw
