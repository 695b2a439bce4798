// Dense strides, in elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

using Extents = std::vector<std::int64_t>;

inline Extents rowMajor(const Extents& dims) {
    Extents out(dims.size(), 1);
    for (std::size_t d = dims.size() - 1; d-- > 0;)
        out[d] = out[d + 1] * dims[d + 1];
    return out;
}

// Of four axes [N, C, H, W].
inline Extents channelsLast(const Extents& d) {
    return {d[1] * d[2] * d[3], 1, d[3] * d[1], d[1]};
}
