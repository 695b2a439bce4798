#include "base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace fw {

namespace {

constexpr std::array<std::uint32_t, 64> roundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void compress(State& state, const std::byte* block) {
    std::array<std::uint32_t, 64> words;
    for (std::size_t i = 0; i < 16; ++i) {
        words[i] = 0;
        for (std::size_t j = 0; j < 4; ++j)
            words[i] = words[i] << 8 | std::to_integer<std::uint32_t>(block[4 * i + j]);
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = words[i - 15];
        const std::uint32_t b = words[i - 2];
        words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + words[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
    }
    State s = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const std::uint32_t first =
            s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) + choice +
            roundConstants[i] + words[i];
        const std::uint32_t second =
            (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
        s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i)
        state[i] += s[i];
}

} // namespace

void Sha256::add(std::span<const std::byte> bytes) {
    std::size_t filled = m_size % m_block.size();
    m_size += bytes.size();
    if (filled > 0) {
        const std::size_t taken = std::min(bytes.size(), m_block.size() - filled);
        std::copy_n(bytes.begin(), taken, m_block.begin() + static_cast<std::ptrdiff_t>(filled));
        bytes = bytes.subspan(taken);
        filled += taken;
        if (filled < m_block.size())
            return;
        compress(m_state, m_block.data());
    }
    for (; bytes.size() >= m_block.size(); bytes = bytes.subspan(m_block.size()))
        compress(m_state, bytes.data());
    std::copy(bytes.begin(), bytes.end(), m_block.begin());
}

std::string Sha256::hex() const {
    const auto filled = static_cast<std::ptrdiff_t>(m_size % m_block.size());
    std::vector<std::byte> tail(m_block.begin(), m_block.begin() + filled);
    tail.push_back(std::byte{0x80});
    while (tail.size() % 64 != 56)
        tail.push_back(std::byte{0});
    const std::uint64_t bits = m_size * 8;
    for (int shift = 56; shift >= 0; shift -= 8)
        tail.push_back(static_cast<std::byte>(bits >> shift));
    State state = m_state;
    for (std::size_t i = 0; i < tail.size(); i += 64)
        compress(state, tail.data() + i);

    std::string text;
    for (std::uint32_t word : state)
        for (int shift = 28; shift >= 0; shift -= 4)
            text += "0123456789abcdef"[(word >> shift) & 15u];
    return text;
}

std::string sha256Hex(std::span<const std::byte> bytes) {
    Sha256 out;
    out.add(bytes);
    return out.hex();
}

} // namespace fw
