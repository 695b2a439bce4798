// A small generator of numbers, the same on every machine and with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fw {

class Random {
public:
    // Mixed, since the state advances by a constant: plain seeds would start inside each other.
    explicit Random(std::uint64_t seed) : m_state(mixed(seed + 1)) {}

    std::uint64_t next() { return mixed(m_state += 0x9E3779B97F4A7C15u); } // splitmix64
    // 0 .. count - 1; 0 if count is 0.
    std::size_t below(std::size_t count) {
        return count == 0 ? 0 : static_cast<std::size_t>(next() % count);
    }
    // Both ends included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
    }
    bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
    double unit() { return static_cast<double>(next() >> 11) / 9007199254740992.0; } // [0, 1)

    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }

private:
    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    std::uint64_t m_state;
};

} // namespace fw
