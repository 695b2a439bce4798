// The largest of numbers that are kept by index, up to an index; a number only grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fw {

// A Fenwick tree: both in logarithmic time.
class PrefixMaxima {
public:
    explicit PrefixMaxima(std::size_t size) : m_largest(size + 1, 0) {}

    void raise(std::size_t index, std::size_t value) {
        for (std::size_t i = index + 1; i < m_largest.size(); i += i & (~i + 1))
            m_largest[i] = std::max(m_largest[i], value);
    }
    std::size_t upTo(std::size_t index) const { // 0 if nothing was kept
        std::size_t out = 0;
        for (std::size_t i = std::min(index + 1, m_largest.size() - 1); i > 0; i -= i & (~i + 1))
            out = std::max(out, m_largest[i]);
        return out;
    }

private:
    std::vector<std::size_t> m_largest;
};

} // namespace fw
