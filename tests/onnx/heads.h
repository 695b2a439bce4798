// Tensors [B, H, S, D] in double precision, for what works on the heads of attention.
#pragma once

#include "onnx/judge.h"

namespace fw::test {

using Extent = std::int64_t;

inline std::size_t product(std::initializer_list<Extent> extents) {
    Extent out = 1;
    for (const Extent extent : extents)
        out *= extent;
    return static_cast<std::size_t>(out);
}

inline std::vector<std::string> dims(std::initializer_list<Extent> extents) {
    std::vector<std::string> out;
    for (const Extent extent : extents)
        out.push_back(std::to_string(extent));
    return out;
}

// [B, H, S, D] with elements by their places.
struct Heads {
    Extent b, h, s, d;
    std::vector<double> values;
    double at(Extent i, Extent j, Extent k, Extent l) const {
        return values[static_cast<std::size_t>(((i * h + j) * s + k) * d + l)];
    }
    double& at(Extent i, Extent j, Extent k, Extent l) {
        return values[static_cast<std::size_t>(((i * h + j) * s + k) * d + l)];
    }
};

inline Heads heads(Extent b, Extent h, Extent s, Extent d, int seed) {
    return {b, h, s, d, numbers(product({b, h, s, d}), seed)};
}

inline Heads empty(Extent b, Extent h, Extent s, Extent d) {
    return {b, h, s, d, std::vector<double>(product({b, h, s, d}))};
}

// As [B, S, H * D].
inline std::vector<double> flat(const Heads& x) {
    std::vector<double> out;
    for (Extent b = 0; b < x.b; ++b)
        for (Extent s = 0; s < x.s; ++s)
            for (Extent h = 0; h < x.h; ++h)
                for (Extent d = 0; d < x.d; ++d)
                    out.push_back(x.at(b, h, s, d));
    return out;
}

inline Heads fromFlat(Extent b, Extent h, Extent s, Extent d, const std::vector<double>& values) {
    Heads out = empty(b, h, s, d);
    std::size_t at = 0;
    for (Extent i = 0; i < b; ++i)
        for (Extent k = 0; k < s; ++k)
            for (Extent j = 0; j < h; ++j)
                for (Extent l = 0; l < d; ++l)
                    out.at(i, j, k, l) = values[at++];
    return out;
}

} // namespace fw::test
