// SHA-256 (FIPS 180-4), for the manifests of exported modules: people compare them with sha256sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace fw {

// Of bytes that come in pieces.
class Sha256 {
public:
    void add(std::span<const std::byte> bytes);
    std::string hex() const; // of all so far: 64 lower-case digits

private:
    std::array<std::uint32_t, 8> m_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> m_block = {}; // the last one, as far as it is filled
    std::uint64_t m_size = 0;
};

std::string sha256Hex(std::span<const std::byte> bytes);

} // namespace fw
